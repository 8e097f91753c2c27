import { dialog, type OpenDialogOptions, type SaveDialogOptions } from 'electron';
import { PostroomError } from '../contract/errors.ts';
import type { MainWindow } from './window.ts';

/** The file that a person picks in the system's own dialog; null when they thought better of it. */
export async function pickFile(window: MainWindow, options: OpenDialogOptions): Promise<string | null> {
  const parent = window.browserWindow();
  const { filePaths } = await (parent
    ? dialog.showOpenDialog(parent, options)
    : dialog.showOpenDialog(options));
  return filePaths[0] ?? null;
}

/** Where a person wants something written; null when they thought better of it. */
export async function pickPlace(window: MainWindow, options: SaveDialogOptions): Promise<string | null> {
  const parent = window.browserWindow();
  const { filePath } = await (parent
    ? dialog.showSaveDialog(parent, options)
    : dialog.showSaveDialog(options));
  return filePath || null;
}

/** What is said of a picked place that cannot be written. */
export const cannotWrite = (file: string, cause: unknown): PostroomError =>
  new PostroomError('disk', `${file} cannot be written. Choose another folder.`, {
    detail: String(cause),
    cause,
  });
