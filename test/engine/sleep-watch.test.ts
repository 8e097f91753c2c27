import { describe, expect, it } from 'vitest';
import { SleepWatch } from '../../src-main/engine/sleep-watch.ts';
import { NetworkWatch } from '../../src-main/shop/network-watch.ts';

function watched() {
  const clocks = { wallMs: 1_700_000_000_000, monotonicMs: 5_000 };
  const slept: number[] = [];
  const watch = new SleepWatch((ms) => slept.push(ms), {
    wall: () => clocks.wallMs,
    monotonic: () => clocks.monotonicMs,
  });
  const pass = (wall: number, monotonic: number) => {
    clocks.wallMs += wall;
    clocks.monotonicMs += monotonic;
    watch.tick();
  };
  return { slept, pass };
}

describe('the watch for sleep', () => {
  it('says nothing while ticks come in time, or a little late', () => {
    const { slept, pass } = watched();
    for (const ms of [5_000, 5_001, 9_000, 24_000]) pass(ms, ms);
    expect(slept).toEqual([]);
  });

  it('notices a sleep in which the monotonic clock stood still (Linux)', () => {
    const { slept, pass } = watched();
    pass(5_000, 5_000);
    pass(8 * 3_600_000, 5_000);
    pass(5_000, 5_000);
    expect(slept).toEqual([8 * 3_600_000 - 5_000]);
  });

  it('notices a sleep in which it went on, by the tick that comes late (Windows, macOS)', () => {
    const { slept, pass } = watched();
    pass(600_000, 600_000);
    expect(slept).toEqual([595_000]);
  });

  it('takes a clock that is set back for no sleep', () => {
    const { slept, pass } = watched();
    pass(-3_600_000, 5_000);
    pass(5_000, 5_000);
    expect(slept).toEqual([]);
  });
});

describe('the watch for another network', () => {
  it('tells once when the addresses changed, and not when they all went away', () => {
    let addresses = ['192.0.2.7'];
    let told = 0;
    const watch = new NetworkWatch(
      () => {
        told += 1;
      },
      () => addresses,
    );
    watch.start();
    watch.look();
    expect(told).toBe(0);
    addresses = [];
    watch.look();
    expect(told).toBe(0);
    addresses = ['198.51.100.3'];
    watch.look();
    watch.look();
    expect(told).toBe(1);
    watch.stop();
  });
});
