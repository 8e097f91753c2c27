import type { ShopStatus } from '../contract/status.ts';
import type { Shops } from './shops.ts';

const everyMs = 5_000;

/**
 * Keeps the last status of each open shop for tray, power and quit. While the window asks each second its answers
 * are enough; while it is hidden the watch asks by itself.
 */
export class Watch {
  private readonly seen = new Map<string, { status: ShopStatus; at: number }>();
  private readonly last = new Map<string, ShopStatus>();
  private readonly listeners = new Set<() => void>();
  private readonly timer: ReturnType<typeof setInterval>;

  private readonly shops: Shops;

  constructor(shops: Shops) {
    this.shops = shops;
    shops.on('status', (profile, status) => {
      this.seen.set(profile, { status, at: performance.now() });
      this.last.set(profile, status);
      this.tell();
    });
    shops.on('connection', (profile, connection) => {
      if (connection.phase !== 'open') this.seen.delete(profile);
      this.tell();
      if (connection.phase === 'open') this.look(profile);
    });
    this.timer = setInterval(() => {
      for (const id of shops.openIds()) {
        const last = this.seen.get(id);
        if (!last || performance.now() - last.at >= everyMs - 1_000) this.look(id);
      }
    }, everyMs);
    this.timer.unref();
  }

  onChange(listener: () => void): void {
    this.listeners.add(listener);
  }

  /** Last status of a shop; null while it is closed or was not read yet. */
  of(profile: string): ShopStatus | null {
    return this.seen.get(profile)?.status ?? null;
  }

  /** Last status of a shop, also of one that cannot be reached any more; null where none was ever read. */
  lastOf(profile: string): ShopStatus | null {
    return this.last.get(profile) ?? null;
  }

  all(): [profile: string, status: ShopStatus][] {
    return [...this.seen].map(([profile, { status }]) => [profile, status]);
  }

  stop(): void {
    clearInterval(this.timer);
    this.listeners.clear();
  }

  private look(profile: string): void {
    // a status that cannot be read is told by the lights of the next one, or by the connection's own error
    this.shops.status(profile).catch(() => undefined);
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}
