import type { OpenedShop, openShop } from '../boot.ts';
import type { DemoMail } from '../contract/channels.ts';

/** The demo shop: one that is reached like any other, and that also shows what arrived and sells on request. */
export interface OpenedDemoShop extends OpenedShop {
  /** what its mail server took, newest first */
  inbox(limit: number): DemoMail[];
  /** makes n customers order; returns how many mails were queued */
  order(n: number): Promise<number>;
}

/** The rooms behind the app, as it uses them. Loaded late: they bring every driver along. */
export interface Boot {
  openShop: typeof openShop;
  openDemoShop(options: { stateDir: string; version: string; mails?: number }): Promise<OpenedDemoShop>;
}
