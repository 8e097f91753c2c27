import { Menu, type NativeImage, nativeImage, Tray } from 'electron';
import type { Signals } from '../contract/channels.ts';
import { countText, withCount } from './count-on-icon.ts';
import { type Lamp, lampFor, lamps } from './lamp.ts';
import { LastFailures } from './last-failures.ts';
import type { Shops } from './shops.ts';
import { shopWords, type TrayShop, trayMenu } from './tray-menu.ts';
import type { Watch } from './watch.ts';
import { spoken } from './words.ts';

interface Options {
  shops: Shops;
  watch: Watch;
  /** path of the icon for a lamp */
  iconFor: (lamp: Lamp) => string;
  /** the demo shop is shown only while it is the one on screen */
  profile: () => string | null;
  open: () => void;
  show: (place: Signals['window:show']) => void;
  quit: () => void;
}

/** The icon near the clock: how all shops stand at a glance, and the few things that one does without the window. */
export class AppTray {
  private readonly tray: Tray;
  private readonly failures: LastFailures;
  private icon = '';
  private tooltip = '';
  private menu = '';

  private readonly options: Options;

  constructor(options: Options) {
    this.options = options;
    this.tray = new Tray(nativeImage.createFromPath(options.iconFor('idle')));
    this.failures = new LastFailures(options.shops, () => this.draw());
    this.tray.on('click', () => options.open());
    options.watch.onChange(() => this.draw());
    this.draw();
  }

  destroy(): void {
    this.tray.destroy();
  }

  /** Draws what has changed since: a menu that is rebuilt each second closes under the person's hand on some desktops. */
  draw(): void {
    const shops = this.seen();
    const lamp = worst(shops.map(({ status }) => lampFor(status)));
    const waiting = shops.reduce((sum, { status }) => sum + (status?.remaining ?? 0), 0);
    const icon = `${lamp} ${countText(waiting)}`;
    if (icon !== this.icon) {
      this.icon = icon;
      this.tray.setImage(this.image(lamp, waiting));
      if (process.platform === 'darwin') this.tray.setTitle(waiting > 0 ? countText(waiting) : '');
    }
    const tooltip = ['Postroom', ...shops.map((shop) => words(shop, shops.length))].join('\n');
    if (tooltip !== this.tooltip) {
      this.tooltip = tooltip;
      this.tray.setToolTip(tooltip);
    }
    const menu = JSON.stringify([
      spoken(),
      shops.map(({ id, name, status, failures }) => [
        id,
        name,
        shopWords(status),
        status?.state,
        status?.pause !== null,
        failures,
      ]),
    ]);
    if (menu === this.menu) return;
    this.menu = menu;
    this.tray.setContextMenu(Menu.buildFromTemplate(trayMenu(shops, this.actions())));
  }

  private seen(): TrayShop[] {
    const { shops, watch, profile } = this.options;
    return shops
      .summaries()
      .filter(({ id, demo }) => !demo || id === profile())
      .map(({ id, name }) => ({ id, name, status: watch.of(id), failures: this.failures.of(id) }));
  }

  /** macOS writes the number beside the icon; elsewhere it is drawn into it. */
  private image(lamp: Lamp, waiting: number): NativeImage {
    const plain = nativeImage.createFromPath(this.options.iconFor(lamp));
    if (waiting <= 0 || process.platform === 'darwin') return plain;
    const scaleFactor = process.platform === 'linux' ? 1 : 2;
    const { width, height } = plain.getSize(scaleFactor);
    const size = { width: width * scaleFactor, height: height * scaleFactor };
    const pixels = plain.toBitmap({ scaleFactor });
    if (pixels.length !== size.width * size.height * 4) return plain; // another size than asked for: better no number
    const drawn = withCount(pixels, size.width, size.height, waiting);
    return nativeImage.createFromBitmap(Buffer.from(drawn), { ...size, scaleFactor });
  }

  private actions() {
    const { shops, open, show, quit } = this.options;
    const act = (id: string, what: () => Promise<unknown>) => {
      // what went wrong is shown by the window's banner; the tray only looks again
      what()
        .catch(() => undefined)
        .finally(() => void shops.status(id).catch(() => undefined));
    };
    return {
      open,
      show,
      quit,
      enable: (id: string) => act(id, () => shops.desk(id).enable()),
      disable: (id: string) => act(id, () => shops.desk(id).disable()),
      resume: (id: string) => act(id, () => shops.desk(id).resume()),
      pause: (id: string) => act(id, () => shops.desk(id).pause({ minutes: 15, reason: '' })),
    };
  }
}

/** `lamps` goes from calm to alarming. */
const worst = (found: readonly Lamp[]): Lamp =>
  found.reduce<Lamp>((one, other) => (lamps.indexOf(other) > lamps.indexOf(one) ? other : one), 'idle');

const words = ({ name, status }: TrayShop, of: number): string =>
  of > 1 ? `${name}: ${shopWords(status)}` : shopWords(status);
