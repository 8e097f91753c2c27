import type { examineParts, examineShop, findTables, openShop } from '../boot.ts';
import type { FoundSite } from '../contract/look.ts';
import type { SshLogin } from '../contract/profile.ts';
import type { openDemoShop } from '../demo/shop.ts';

/** The rooms behind the app, as it uses them. Loaded late: they bring every driver along. */
export interface Boot {
  openShop: typeof openShop;
  examineShop: typeof examineShop;
  examineParts: typeof examineParts;
  findTables: typeof findTables;
  /** The WordPress sites that a login reaches, with the database password of each. */
  findSites?: (
    login: SshLogin,
    options: { signal: AbortSignal; onProgress: (words: string) => void },
  ) => Promise<{ site: FoundSite; password: string | null }[]>;
  openDemoShop: typeof openDemoShop;
}
