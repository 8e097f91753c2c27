/** The demo shop's customers: while its queue is enabled, orders come in, a rush at first and then one now and then. */
import type { QueueState } from '../contract/settings.ts';

/** orders of the rush after enabling */
const rush = 12;
/** ms between two looks at the state */
const lookEveryMs = 3_000;
/** ms between two later orders, at least and at most: slower than the shop's pace, so that the queue runs empty */
const quietMs = { min: 12_000, max: 30_000 };

export interface Selling {
  stop(): void;
}

export function startSelling(shop: {
  state: () => Promise<QueueState>;
  order: (n: number) => Promise<unknown>;
  random?: () => number;
}): Selling {
  const random = shop.random ?? Math.random;
  let before: QueueState = 'disabled';
  let nextAt = Number.POSITIVE_INFINITY;
  let busy = false;

  const look = async () => {
    const state = await shop.state();
    const now = performance.now();
    if (state === 'enabled' && before !== 'enabled') {
      await shop.order(rush);
      nextAt = now + quietMs.max;
    } else if (state === 'enabled' && now >= nextAt) {
      await shop.order(1);
      nextAt = now + quietMs.min + random() * (quietMs.max - quietMs.min);
    }
    before = state;
  };
  const timer = setInterval(() => {
    if (busy) return;
    busy = true;
    void look()
      .catch(() => {}) // closing, or the next look does it
      .finally(() => {
        busy = false;
      });
  }, lookEveryMs);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
