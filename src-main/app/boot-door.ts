import type { openShop } from '../boot.ts';
import type { openDemoShop } from '../demo/shop.ts';

/** The rooms behind the app, as it uses them. Loaded late: they bring every driver along. */
export interface Boot {
  openShop: typeof openShop;
  openDemoShop: typeof openDemoShop;
}
