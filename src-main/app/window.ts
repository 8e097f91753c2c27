import { BrowserWindow, screen, type WebContents } from 'electron';
import type { Signals } from '../contract/channels.ts';
import type { ProfileBook, WindowBounds } from '../settings/book.ts';
import { startUrl } from './assets.ts';
import { sendSignal } from './ipc.ts';

interface Options {
  preload: string;
  icon: string;
  book: ProfileBook;
  /** address of the development server, or null */
  developmentUrl: string | null;
  /** tag of the language that the page begins in */
  language: () => string;
  /** asked when the person closes the window: true = hide it and keep running */
  staysOnClose: () => boolean;
}

const usualSize = { width: 1240, height: 820 };

/** The one window. It may be gone (closed) while the app runs on; `show` makes it anew. */
export class MainWindow {
  private window: BrowserWindow | null = null;

  private readonly options: Options;

  constructor(options: Options) {
    this.options = options;
  }

  browserWindow(): BrowserWindow | null {
    return this.window;
  }

  webContents(): WebContents | null {
    return this.window && !this.window.isDestroyed() ? this.window.webContents : null;
  }

  isVisible(): boolean {
    return this.window?.isVisible() ?? false;
  }

  signal<S extends keyof Signals>(name: S, data: Signals[S]): void {
    sendSignal(this.webContents(), name, data);
  }

  /** Brings the window to the front; makes it where there is none. Resolves when its page can be told things. */
  async show(): Promise<void> {
    if (!this.window) {
      await this.create();
      return;
    }
    if (this.window.isMinimized()) this.window.restore();
    this.window.show();
    this.window.focus();
  }

  hide(): void {
    this.window?.hide();
  }

  private async create(): Promise<void> {
    const { preload, icon, book, developmentUrl } = this.options;
    const window = new BrowserWindow({
      ...place(book.windowBounds),
      minWidth: 760,
      minHeight: 520,
      show: false,
      title: 'Postroom',
      icon,
      autoHideMenuBar: true,
      webPreferences: {
        preload,
        sandbox: true,
        contextIsolation: true,
        nodeIntegration: false,
        webSecurity: true,
        spellcheck: false,
      },
    });
    this.window = window;
    this.shut(window.webContents);
    window.once('ready-to-show', () => window.show());
    window.on('close', (event) => {
      if (!window.isMinimized()) book.windowBounds = window.getNormalBounds();
      if (!this.options.staysOnClose()) return;
      event.preventDefault();
      window.hide();
    });
    window.on('closed', () => {
      if (this.window === window) this.window = null;
    });
    // a page that died of memory or a driver comes back by itself; the engine has not noticed anything
    window.webContents.on('render-process-gone', (_event, { reason }) => {
      if (reason !== 'clean-exit' && !window.isDestroyed()) window.webContents.reload();
    });
    await window.loadURL(`${developmentUrl ?? startUrl}?lang=${this.options.language()}`);
  }

  /** No way out of our page: no navigation, no new window, no embedded page. */
  private shut(contents: WebContents): void {
    contents.setWindowOpenHandler(() => ({ action: 'deny' }));
    contents.on('will-navigate', (event) => event.preventDefault());
    // the preview's frame shows the page that it is given, and goes nowhere from there
    contents.on('will-frame-navigate', (event) => {
      if (event.isMainFrame || event.url !== 'about:srcdoc') event.preventDefault();
    });
    contents.on('will-redirect', (event) => event.preventDefault());
    contents.on('will-attach-webview', (event) => event.preventDefault());
  }
}

/** Remembered bounds; without their place where the screen that they were on is gone. */
function place(bounds: WindowBounds | null): { x?: number; y?: number; width: number; height: number } {
  if (!bounds) return usualSize;
  const { x, y, width, height } = bounds;
  if (x === undefined || y === undefined) return { width, height };
  const seen = screen.getAllDisplays().some(({ workArea }) => {
    const across = Math.min(x + width, workArea.x + workArea.width) - Math.max(x, workArea.x);
    const down = Math.min(y + height, workArea.y + workArea.height) - Math.max(y, workArea.y);
    return across > 100 && down > 100;
  });
  return seen ? { x, y, width, height } : { width, height };
}
