/**
 * A worker's long waits, shortened: what runs every minute runs every 300 ms. Time itself is not touched: the clock of
 * record is the database's, and the driver moves it by backdating rows. To be imported before the engine starts.
 */
import { Socket } from 'node:net';

const lapse = 200;
/** periods from a minute on: heartbeat, leases, reaper, retention */
const longPeriodMs = 60_000;
/** patience with a mail server; below that, waits are left as they are */
const longWaitMs = 5 * 60_000;

const { setInterval: realInterval, setTimeout: realTimeout, Date: RealDate } = globalThis;

globalThis.setInterval = ((work: () => void, ms = 0) =>
  realInterval(work, ms >= longPeriodMs ? ms / lapse : ms)) as typeof setInterval;
globalThis.setTimeout = Object.assign(
  (work: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
    realTimeout(work, ms >= longWaitMs ? ms / lapse : ms, ...args),
  { __promisify__: realTimeout.__promisify__ },
) as typeof setTimeout;

const socketTimeout = Socket.prototype.setTimeout;
Socket.prototype.setTimeout = function shorter(this: Socket, ms: number, listener?: () => void) {
  return socketTimeout.call(this, ms >= longWaitMs ? ms / lapse : ms, listener);
};

let shiftMs = 0;

/** Steps this process' wall clock, as a person or NTP would: the engine must not care (promise 9). */
export function stepClock(ms: number): void {
  shiftMs += ms;
}

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args: unknown[], made) =>
    Reflect.construct(target, args.length === 0 ? [target.now() + shiftMs] : args, made) as object,
  get: (target, key, self) =>
    key === 'now' ? () => target.now() + shiftMs : (Reflect.get(target, key, self) as unknown),
});
