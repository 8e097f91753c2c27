import { powerMonitor, powerSaveBlocker } from 'electron';
import { Wakefulness } from './lamp.ts';
import type { Shops } from './shops.ts';
import type { Watch } from './watch.ts';

/** Sleep and wake. The computer may sleep whenever no mail is about to leave. */
export class Power {
  private blocker: number | null = null;
  private asleep = false;
  private readonly wakefulness = new Wakefulness();

  constructor(shops: Shops, watch: Watch) {
    // both arrive twice on Linux
    powerMonitor.on('suspend', () => {
      if (this.asleep) return;
      this.asleep = true;
      void shops.suspend();
    });
    powerMonitor.on('resume', () => {
      // one that nobody announced may be anything: what lives goes on
      shops.wake(this.asleep ? 'resume' : 'network');
      this.asleep = false;
    });
    watch.onChange(() =>
      this.hold(
        this.wakefulness.needed(
          watch.all().filter(([id]) => !shops.isDemo(id)),
          performance.now(),
        ),
      ),
    );
  }

  release(): void {
    this.hold(false);
  }

  private hold(awake: boolean): void {
    if (awake && this.blocker === null) {
      this.blocker = powerSaveBlocker.start('prevent-app-suspension');
    } else if (!awake && this.blocker !== null) {
      powerSaveBlocker.stop(this.blocker);
      this.blocker = null;
    }
  }
}
