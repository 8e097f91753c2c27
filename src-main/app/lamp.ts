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

/** Whether the computer should stay awake: mail waits, and it may leave soon. */
export function mustStayAwake(status: ShopStatus): boolean {
  return status.state !== 'disabled' && status.remaining > 0 && status.pause?.by !== 'person';
}
