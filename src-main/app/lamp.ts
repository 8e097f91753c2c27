import type { ShopStatus } from '../contract/status.ts';

export const lamps = ['idle', 'draining', 'paused', 'failing'] as const;
/** What the tray icon shows. */
export type Lamp = (typeof lamps)[number];

/** The tray's icon for a status; null = no shop is open. */
export function lampFor(status: ShopStatus | null): Lamp {
  if (!status) return 'idle';
  const { lights, pause, state, remaining } = status;
  if (lights.shop.color === 'red' || lights.database.color === 'red' || lights.mail.color === 'red')
    return 'failing';
  if (pause) return pause.by === 'fault' ? 'failing' : 'paused';
  return state !== 'disabled' && remaining > 0 ? 'draining' : 'idle';
}

/** Whether the computer should stay awake for this shop: mail waits, it may leave soon, and from here. */
export function mustStayAwake(status: ShopStatus): boolean {
  if (status.state === 'disabled' || status.remaining === 0 || status.pause?.by === 'person') return false;
  const self = status.consoles.find((one) => one.self);
  return status.drain_by === null || status.drain_by.id === self?.id;
}

/** ms without a mail leaving after which a computer is let go to sleep: a mail server that is gone must not drain a battery */
const patienceMs = 30 * 60_000;

/** Keeps the computer awake while mail leaves, and not for days because it cannot. */
export class Wakefulness {
  private readonly lastMove = new Map<string, { sent: number; failed: number; atMs: number }>();

  needed(all: readonly (readonly [profile: string, status: ShopStatus])[], nowMs: number): boolean {
    for (const id of this.lastMove.keys()) if (!all.some(([one]) => one === id)) this.lastMove.delete(id);
    return all.filter(([id, status]) => this.moves(id, status, nowMs)).length > 0;
  }

  private moves(id: string, status: ShopStatus, nowMs: number): boolean {
    const { sent, failed } = status.counts;
    const last = this.lastMove.get(id);
    if (!mustStayAwake(status)) this.lastMove.delete(id);
    else if (!last || last.sent !== sent || last.failed !== failed)
      this.lastMove.set(id, { sent, failed, atMs: nowMs });
    const since = this.lastMove.get(id);
    return since !== undefined && nowMs - since.atMs < patienceMs;
  }
}
