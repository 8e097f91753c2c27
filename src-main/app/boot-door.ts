import type {
  connectorStatus,
  connectorTables,
  examineParts,
  examineShop,
  findSites,
  findTables,
  installConnector,
  openShop,
  removeConnector,
} from '../boot.ts';
import type { openDemoShop } from '../demo/shop.ts';

/** The rooms behind the app, as it uses them. Loaded late: they bring every driver along. */
export interface Boot {
  openShop: typeof openShop;
  examineShop: typeof examineShop;
  examineParts: typeof examineParts;
  findTables: typeof findTables;
  findSites: typeof findSites;
  connectorStatus: typeof connectorStatus;
  connectorTables: typeof connectorTables;
  installConnector: typeof installConnector;
  removeConnector: typeof removeConnector;
  openDemoShop: typeof openDemoShop;
}
