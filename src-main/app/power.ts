import { powerMonitor, powerSaveBlocker } from 'electron';
import { mustStayAwake } from './lamp.ts';
import type { Shops } from './shops.ts';
import type { Watch } from './watch.ts';

/** Sleep and wake. The computer may sleep whenever no mail waits. */
export class Power {
  private blocker: number | null = null;
  private asleep = false;

  constructor(shops: Shops, watch: Watch) {
    // both arrive twice on Linux
    powerMonitor.on('suspend', () => {
      this.asleep = true;
    });
    powerMonitor.on('resume', () => {
      if (!this.asleep) return;
      this.asleep = false;
      shops.wake('resume');
    });
    watch.onChange(() =>
      this.hold(watch.all().some(([id, status]) => !shops.isDemo(id) && mustStayAwake(status))),
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
