import { app, dialog } from 'electron';
import { mustStayAwake } from './lamp.ts';
import type { Shops } from './shops.ts';
import type { Watch } from './watch.ts';
import type { MainWindow } from './window.ts';
import { clockTime, say } from './words.ts';

/** ms that mail in flight gets to come to an end before the app leaves all the same */
const settleDeadlineMs = 30_000;

interface Options {
  shops: Shops;
  watch: Watch;
  window: MainWindow;
  /** releases what the app holds, right before it ends */
  cleanUp: () => void;
}

/**
 * Leaving: asks when mail waits, lets every shop settle what is in flight, and goes. A mail is never cut off
 * between its last byte and the server's answer unless the deadline passes; then it is in doubt, never lost.
 */
export class Quit {
  private phase: 'running' | 'asking' | 'sending-first' | 'settling' | 'done' = 'running';

  private readonly options: Options;

  constructor(options: Options) {
    this.options = options;
    app.on('before-quit', (event) => {
      if (this.phase === 'done') return;
      event.preventDefault();
      void this.start();
    });
    // keeps the app running when the last window is gone; staying or going is decided in `window` and here
    app.on('window-all-closed', () => undefined);
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
      process.on(signal, () => void this.settle());
    options.watch.onChange(() => {
      if (this.phase === 'sending-first' && this.waiting() === 0) void this.settle();
    });
  }

  /** Whether the app is on its way out, so that closing windows must not be turned into hiding them. */
  isLeaving(): boolean {
    return this.phase === 'settling' || this.phase === 'done';
  }

  private async start(): Promise<void> {
    if (this.phase === 'asking' || this.isLeaving()) return;
    const waiting = this.waiting();
    if (waiting === 0) return this.settle();
    this.phase = 'asking';
    const options = {
      type: 'question' as const,
      title: 'Postroom',
      message: say('quitQuestion', { count: waiting }),
      detail: this.detail(),
      buttons: [say('quitSendFirst'), say('quitKeep'), say('quitNow', { count: waiting })],
      defaultId: 1,
      cancelId: 1,
      noLink: true,
    };
    const parent = this.options.window.isVisible() ? this.options.window.browserWindow() : null;
    const { response } = await (parent
      ? dialog.showMessageBox(parent, options)
      : dialog.showMessageBox(options));
    if (response === 2) return this.settle();
    this.phase = response === 0 ? 'sending-first' : 'running';
    this.options.window.hide();
  }

  /** When the last of them would be gone, and what becomes of them else. */
  private detail(): string {
    const { shops, watch } = this.options;
    const ends = watch
      .all()
      .filter(([id, status]) => !shops.isDemo(id) && mustStayAwake(status))
      .map(([, status]) => (status.empty_at === null ? null : status.empty_at - status.now));
    const last = ends.includes(null) ? null : Math.max(...(ends as number[]));
    const eta =
      last === null ? say('quitNoEta') : say('quitEta', { time: clockTime(Date.now() / 1000 + last) });
    return `${eta} ${say('quitDetail')}`;
  }

  /** Mails on their way out of real shops from here; what is disabled, paused by a person or another console's does not count. */
  private waiting(): number {
    const { shops, watch } = this.options;
    return watch
      .all()
      .filter(([id, status]) => !shops.isDemo(id) && mustStayAwake(status))
      .reduce((sum, [, status]) => sum + status.remaining, 0);
  }

  private async settle(): Promise<void> {
    if (this.isLeaving()) return;
    this.phase = 'settling';
    this.options.window.hide();
    const deadline = new Promise<void>((resolve) => setTimeout(resolve, settleDeadlineMs).unref());
    await Promise.race([this.options.shops.closeAll(), deadline]);
    this.options.cleanUp();
    this.phase = 'done';
    app.quit();
  }
}
