import { Menu, type MenuItemConstructorOptions, nativeImage, Tray } from 'electron';
import type { ShopStatus } from '../contract/status.ts';
import { type Lamp, lampFor } from './lamp.ts';
import type { Shops } from './shops.ts';
import type { Watch } from './watch.ts';
import { say } from './words.ts';

interface Options {
  shops: Shops;
  watch: Watch;
  /** path of the icon for a lamp */
  iconFor: (lamp: Lamp) => string;
  /** profile that the tray speaks of */
  profile: () => string | null;
  open: () => void;
  quit: () => void;
}

/** The icon near the clock: how it stands at a glance, and the few things that one does without the window. */
export class AppTray {
  private readonly tray: Tray;
  private lamp: Lamp | null = null;
  private drawn = '';

  private readonly options: Options;

  constructor(options: Options) {
    this.options = options;
    this.tray = new Tray(nativeImage.createFromPath(options.iconFor('idle')));
    this.tray.on('click', () => options.open());
    options.watch.onChange(() => this.draw());
    this.draw();
  }

  destroy(): void {
    this.tray.destroy();
  }

  private draw(): void {
    const { watch, profile, iconFor } = this.options;
    const id = profile();
    const status = id === null ? null : watch.of(id);
    const lamp = lampFor(status);
    if (lamp !== this.lamp) {
      this.tray.setImage(nativeImage.createFromPath(iconFor(lamp)));
      this.lamp = lamp;
    }
    // a menu that is rebuilt each second closes under the person's hand on some desktops
    const tooltip = this.tooltip(status);
    const drawing = JSON.stringify([id, tooltip, status?.state, status?.pause !== null]);
    if (drawing === this.drawn) return;
    this.drawn = drawing;
    this.tray.setToolTip(tooltip);
    this.tray.setContextMenu(Menu.buildFromTemplate(this.menu(id, status)));
  }

  private tooltip(status: ShopStatus | null): string {
    if (!status) return 'Postroom';
    const waiting = say('trayRemaining', { count: status.remaining });
    if (status.pause) return `Postroom: ${say('trayPaused')}, ${waiting}`;
    return `Postroom: ${waiting}`;
  }

  private menu(id: string | null, status: ShopStatus | null): MenuItemConstructorOptions[] {
    const { shops, open, quit } = this.options;
    const items: MenuItemConstructorOptions[] = [
      { label: say('trayOpen'), click: open },
      { type: 'separator' },
    ];
    if (id !== null && status) {
      const act = (what: () => Promise<unknown>) => () => {
        // what went wrong is shown by the window's banner; the tray only looks again
        what()
          .catch(() => undefined)
          .finally(() => void shops.status(id).catch(() => undefined));
      };
      items.push({ label: this.tooltip(status), enabled: false });
      items.push(
        status.state === 'enabled'
          ? { label: say('trayDisable'), click: act(() => shops.desk(id).disable()) }
          : { label: say('trayEnable'), click: act(() => shops.desk(id).enable()) },
      );
      items.push(
        status.pause
          ? { label: say('trayResume'), click: act(() => shops.desk(id).resume()) }
          : { label: say('trayPause'), click: act(() => shops.desk(id).pause({ minutes: 15, reason: '' })) },
      );
      items.push({ type: 'separator' });
    }
    items.push({ label: say('trayQuit'), click: quit });
    return items;
  }
}
