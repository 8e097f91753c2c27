import type { MenuItemConstructorOptions } from 'electron';
import type { Signals } from '../contract/channels.ts';
import type { ShopStatus } from '../contract/status.ts';
import type { LastFailure } from './last-failures.ts';
import { clockTime, say } from './words.ts';

/** A shop as the menu shows it. */
export interface TrayShop {
  id: string;
  name: string;
  status: ShopStatus | null;
  failures: readonly LastFailure[];
}

/** What a person can have done from the menu. */
export interface TrayActions {
  open: () => void;
  show: (place: Signals['window:show']) => void;
  enable: (profile: string) => void;
  disable: (profile: string) => void;
  pause: (profile: string) => void;
  resume: (profile: string) => void;
  quit: () => void;
}

/** The menu: one shop's own things at once, several shops each in a part of its own. */
export function trayMenu(shops: readonly TrayShop[], actions: TrayActions): MenuItemConstructorOptions[] {
  const items: MenuItemConstructorOptions[] = [{ label: say('trayOpen'), click: actions.open }];
  const [only] = shops;
  if (shops.length === 1 && only)
    items.push({ type: 'separator' }, { label: shopLine(only), enabled: false }, ...shopItems(only, actions));
  else if (shops.length > 1) {
    items.push({ type: 'separator' });
    for (const shop of shops)
      items.push({
        label: escaped(`${shop.name}: ${shopWords(shop.status)}`),
        submenu: shopItems(shop, actions),
      });
  }
  items.push({ type: 'separator' }, { label: say('trayQuit'), click: actions.quit });
  return items;
}

function shopItems({ id, status, failures }: TrayShop, actions: TrayActions): MenuItemConstructorOptions[] {
  const place = { profile: id, screen: 'queue' } as const;
  const items: MenuItemConstructorOptions[] = [];
  if (status) {
    items.push(
      status.state === 'enabled'
        ? { label: say('trayDisable'), click: () => actions.disable(id) }
        : { label: say('trayEnable'), click: () => actions.enable(id) },
      status.pause
        ? { label: say('trayResume'), click: () => actions.resume(id) }
        : { label: say('trayPause'), click: () => actions.pause(id) },
    );
  }
  if (failures.length > 0) {
    const shown = failures.map(({ id: row, recipient, reason }) => ({
      label: escaped(`${recipient}: ${reason}`),
      click: () => actions.show({ ...place, filter: { state: 'failed' }, row }),
    }));
    items.push({ label: say('trayFailures'), submenu: shown });
  }
  return items.length > 0 ? items : [{ label: say('trayNotConnected'), enabled: false }];
}

const shopLine = ({ status }: TrayShop): string => escaped(shopWords(status));

/** A menu takes & for the mark of a key. */
const escaped = (text: string): string => text.replaceAll('&', '&&');

/** "5 mails remaining, next at 14:32": words that stand for a minute, since a tooltip that ticks is none. */
export function shopWords(status: ShopStatus | null): string {
  if (!status) return say('trayNotConnected');
  const waiting = say('trayRemaining', { count: status.remaining });
  if (status.pause) return `${say('trayPaused')}, ${waiting}`;
  if (status.state === 'disabled' || status.remaining === 0 || status.next_at === null) return waiting;
  const soon = status.next_at - status.now < 60;
  return `${waiting}, ${soon ? say('traySoon') : say('trayNext', { time: clockTime(status.next_at) })}`;
}
