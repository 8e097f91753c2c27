import type { Readable } from 'node:stream';

/** The attachment folders of a shop (DESIGN section 4: only `{32 hex}/{file name}` below the root is ever touched). */
export interface ShopFiles {
  /**
   * Opens a file for streaming, after realpath confined it to the root.
   * @throws PostroomError `not-found` (missing), `refused` (outside the root, a link that leads outside, no plain file),
   *   `unreachable` (the way to the files is gone: the transport's fault, not the row's)
   */
  open(folder: string, file: string): Promise<{ stream: Readable; size: number }>;
  /** Deletes a folder and what is in it; true when it is gone afterwards (also when it was not there). */
  removeFolder(folder: string): Promise<boolean>;
  /** Token folders with their age in s by the file server's own clock. */
  listFolders(): Promise<{ folder: string; ageS: number }[]>;
  close(): Promise<void>;
}

/** A folder token: 32 hex digits, as the connector makes them from 16 random bytes (plan section 3.3). */
export const folderToken = /^[0-9a-f]{32}$/;
