import type { examineParts, examineShop, findSites, findTables, openShop } from '../boot.ts';
import type { openDemoShop } from '../demo/shop.ts';

/** The rooms behind the app, as it uses them. Loaded late: they bring every driver along. */
export interface Boot {
  openShop: typeof openShop;
  examineShop: typeof examineShop;
  examineParts: typeof examineParts;
  findTables: typeof findTables;
  findSites: typeof findSites;
  openDemoShop: typeof openDemoShop;
}
