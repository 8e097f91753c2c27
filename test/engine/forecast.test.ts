import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RowId } from '../../src-main/contract/rows.ts';
import { intervalMs } from '../../src-main/contract/settings.ts';
import { forecast, type GateView, type Waiting } from '../../src-main/engine/forecast.ts';

const now = 1_700_000_000_000;

function gate(change: Partial<GateView> = {}): GateView {
  return {
    nowMs: now,
    lastStartMs: now - 3_600_000,
    intervalMs: 12_000,
    caps: { minute: 5, hour: null, day: null },
    lines: [],
    openFromMs: now,
    replyMs: 0,
    connections: 1,
    ...change,
  };
}

const row = (id: RowId, change: Partial<Waiting> = {}): Waiting => ({
  id,
  priority: 10,
  notBeforeMs: now - 60_000,
  recipients: 1,
  ...change,
});
const rows = (n: number) => Array.from({ length: n }, (_, at) => row(at + 1));
/** planned starts in s after now, in the order of the ids */
const seconds = (planned: Map<RowId, number>, ids: RowId[]) =>
  ids.map((id) => ((planned.get(id) ?? Number.NaN) - now) / 1000);

describe('planned departures', () => {
  it('spaces mails by the interval, from the last start on', () => {
    const planned = forecast(rows(3), gate({ lastStartMs: now - 5_000 }));
    expect(seconds(planned, [1, 2, 3])).toEqual([7, 19, 31]);
  });

  it('rounds a rate that does not divide 60 down: 7 a minute leave 9 s apart', () => {
    const planned = forecast(
      rows(3),
      gate({ intervalMs: intervalMs(7), caps: { minute: 7, hour: null, day: null } }),
    );
    expect(seconds(planned, [1, 2, 3])).toEqual([0, 9, 18]);
  });

  it('lets no retry an hour out delay anything', () => {
    const fresh = rows(300);
    const retry = row(1000, { priority: 1, notBeforeMs: now + 3_600_000 });
    const alone = forecast(fresh, gate());
    const beside = forecast([retry, ...fresh], gate());
    for (const { id, notBeforeMs } of fresh) {
      // 300 mails take one hour at this rate: all but none leave before the retry is due
      expect(beside.get(id), `row ${id}, not before ${notBeforeMs}`).toBe(alone.get(id));
    }
    expect(seconds(beside, [1000])).toEqual([3600]);
  });

  it('sends a waiting password reset before 300 bulk mails', () => {
    const planned = forecast([...rows(300), row(999, { priority: 1 })], gate());
    expect(seconds(planned, [999, 1, 300])).toEqual([0, 12, 3600]);
  });

  it('counts a slow server: with one connection the next mail waits for the reply', () => {
    expect(seconds(forecast(rows(3), gate({ replyMs: 30_000 })), [1, 2, 3])).toEqual([0, 30, 60]);
    const two = gate({ replyMs: 30_000, connections: 2 });
    expect(seconds(forecast(rows(4), two), [1, 2, 3, 4])).toEqual([0, 12, 30, 42]);
  });

  it('counts a line in the minute until 60 s after its *end*', () => {
    const slow = gate({
      intervalMs: 1_000,
      caps: { minute: 2, hour: null, day: null },
      replyMs: 10_000,
      connections: 9,
    });
    expect(seconds(forecast(rows(4), slow), [1, 2, 3, 4])).toEqual([0, 1, 70, 71]);
  });

  it('waits for the hour to have room for all recipients of the first row, and lets none pass it by', () => {
    const view = gate({
      caps: { minute: 5, hour: 10, day: null },
      lines: [
        { finishedMs: now - 3_000_000, recipients: 4 },
        { finishedMs: now - 2_000_000, recipients: 4 },
      ],
    });
    const planned = forecast([row(1, { recipients: 6 }), row(2)], view);
    expect(seconds(planned, [1, 2])).toEqual([600, 1600]);
  });

  it('gives the place to a row that goes before and becomes due in the very moment in which the first one could leave', () => {
    const lines = [{ finishedMs: now - 3_000_000, recipients: 4 }];
    const view = gate({ caps: { minute: 5, hour: 5, day: null }, lines });
    const urgent = row(9, { priority: 1, notBeforeMs: now + 600_000 });
    const planned = forecast([row(1, { recipients: 2 }), urgent], view);
    expect(seconds(planned, [9, 1])).toEqual([600, 612]);
  });

  it('leaves out a row with more recipients than an hour or a day may have, and goes on', () => {
    const view = gate({ caps: { minute: 5, hour: 10, day: 8 } });
    const planned = forecast([row(1, { recipients: 9 }), row(2, { recipients: 8 })], view);
    expect(planned.has(1)).toBe(false);
    expect(seconds(planned, [2])).toEqual([0]);
  });

  it('opens at the end of a pause without a burst', () => {
    expect(seconds(forecast(rows(3), gate({ openFromMs: now + 600_000 })), [1, 2, 3])).toEqual([
      600, 612, 624,
    ]);
  });

  it('lets an uncapped profile use all its connections', () => {
    const open = gate({
      intervalMs: 0,
      caps: { minute: null, hour: null, day: null },
      replyMs: 1_000,
      connections: 2,
    });
    expect(seconds(forecast(rows(4), open), [1, 2, 3, 4])).toEqual([0, 0, 1, 1]);
  });

  it('orders ids beyond 2^53 by their number', () => {
    const planned = forecast([row('18446744073709551615'), row('9007199254740993')], gate());
    expect(seconds(planned, ['9007199254740993', '18446744073709551615'])).toEqual([0, 12]);
  });

  it('stops at the limit, with the first ones', () => {
    expect([...forecast(rows(9), gate(), 2).keys()]).toEqual([1, 2]);
    expect(forecast([], gate()).size).toBe(0);
  });

  it('leaves its arguments as they are', () => {
    const waiting = [row(2, { notBeforeMs: now + 1 }), row(1)];
    const lines = [
      { finishedMs: null, recipients: 1 },
      { finishedMs: now - 5, recipients: 1 },
    ];
    const before = structuredClone({ waiting, lines });
    forecast(waiting, gate({ lines }));
    expect({ waiting, lines }).toEqual(before);
  });

  it('plans 20,000 rows while nobody notices', () => {
    const random = lcg(7);
    const waiting = Array.from({ length: 20_000 }, (_, at) =>
      row(at + 1, {
        priority: random(5),
        notBeforeMs: now - 1_800_000 + random(7_200_000),
        recipients: 1 + random(30),
      }),
    );
    const lines = Array.from({ length: 5_000 }, () => ({
      finishedMs: now - random(86_400_000),
      recipients: 1,
    }));
    const view = gate({
      caps: { minute: 60, hour: 500, day: 10_000 },
      intervalMs: 1_000,
      lines,
      replyMs: 700,
    });
    // the processor's time, since another program's load is no fault of ours
    const took = Array.from({ length: 5 }, () => {
      const from = process.cpuUsage();
      expect(forecast(waiting, view).size).toBe(20_000);
      const { user, system } = process.cpuUsage(from);
      return (user + system) / 1000;
    });
    // 50 ms is the aim; a slow machine gets four times as much before this is a fault
    expect(Math.min(...took)).toBeLessThan(200);
  });
});

describe('planned departures against the gate, tick by tick', () => {
  const maybeCap = (max: number) => fc.option(fc.integer({ min: 1, max }), { nil: null });
  /** a shop's whole situation; every time is a multiple of `tick` so that the simulation misses nothing */
  const situation = (tick: number, caps: fc.Arbitrary<GateView['caps']>) => {
    const ticks = (min: number, max: number) =>
      fc.integer({ min: Math.ceil(min / tick), max: Math.floor(max / tick) }).map((n) => n * tick);
    const reach = tick * 150;
    return fc.record({
      waiting: fc.array(
        fc.record({
          priority: fc.integer({ min: 0, max: 2 }),
          notBeforeMs: fc.oneof(
            fc.constant(now),
            ticks(-reach, reach * 2).map((ms) => now + ms),
          ),
          recipients: fc.integer({ min: 1, max: 4 }),
        }),
        { maxLength: 14 },
      ),
      gate: fc.record({
        nowMs: fc.constant(now),
        lastStartMs: ticks(-reach, 0).map((ms) => now + ms),
        intervalMs: fc.oneof(fc.constant(0), ticks(tick, tick * 20)),
        caps,
        lines: fc.array(
          fc.record({
            finishedMs: fc.option(
              fc.oneof(ticks(-60_000, 0), ticks(-3_600_000, 0), ticks(-86_400_000, 0)).map((ms) => now + ms),
              { nil: null },
            ),
            recipients: fc.integer({ min: 1, max: 3 }),
          }),
          { maxLength: 8 },
        ),
        openFromMs: fc.oneof(
          fc.constant(now),
          ticks(0, reach).map((ms) => now + ms),
        ),
        replyMs: ticks(0, tick * 30),
        connections: fc.integer({ min: 1, max: 4 }),
      }),
    });
  };
  const agrees = (arbitrary: ReturnType<typeof situation>, tick: number, numRuns: number) =>
    fc.assert(
      fc.property(arbitrary, ({ waiting, gate: view }) => {
        const all = waiting.map((one, at) => ({ ...one, id: at + 1 }));
        expect([...forecast(all, view)].sort()).toEqual([...simulate(all, view, tick)].sort());
      }),
      { numRuns },
    );

  it('agrees with the interval, the minute and the connections', () => {
    const caps = fc.record({ minute: maybeCap(6), hour: fc.constant(null), day: fc.constant(null) });
    agrees(situation(250, caps), 250, 400);
  });

  it('agrees with the hour', () => {
    const caps = fc.record({ minute: maybeCap(6), hour: maybeCap(8), day: fc.constant(null) });
    agrees(situation(5_000, caps), 5_000, 400);
  });

  it('agrees with the day', () => {
    const caps = fc.record({ minute: maybeCap(6), hour: maybeCap(8), day: maybeCap(12) });
    agrees(situation(60_000, caps), 60_000, 400);
  });
});

/**
 * The gate's rule as promise 3 words it, tried at every tick: grant iff now >= last start + interval and each window,
 * unfinished lines and those finished within it, has room; the first due row takes it or waits, none passes it by.
 */
function simulate(waiting: readonly Waiting[], view: GateView, tick: number): Map<RowId, number> {
  const planned = new Map<RowId, number>();
  const { caps } = view;
  const lines = view.lines.map(({ finishedMs, recipients }) => ({
    underWay: finishedMs === null,
    endMs: finishedMs ?? view.nowMs + view.replyMs,
    recipients,
  }));
  let left = [...waiting];
  let lastStartMs = view.lastStartMs;
  for (let at = view.nowMs; left.length > 0; at += tick) {
    if (at > view.nowMs + 40 * 86_400_000) throw new Error('the simulation does not end');
    for (;;) {
      const [row] = left
        .filter((one) => one.notBeforeMs <= at)
        .sort(
          (a, b) => a.priority - b.priority || a.notBeforeMs - b.notBeforeMs || Number(a.id) - Number(b.id),
        );
      if (!row) break;
      if (row.recipients > (caps.hour ?? 9e9) || row.recipients > (caps.day ?? 9e9)) {
        left = left.filter((one) => one !== row); // it fails
        continue;
      }
      for (const line of lines) if (line.underWay && line.endMs <= at) line.underWay = false;
      const within = (ms: number) => lines.filter((line) => line.underWay || line.endMs > at - ms);
      const recipients = (ms: number) => within(ms).reduce((sum, line) => sum + line.recipients, 0);
      const open =
        at >= view.openFromMs &&
        at >= lastStartMs + view.intervalMs &&
        lines.filter((line) => line.underWay).length < view.connections &&
        (caps.minute === null || within(60_000).length < caps.minute) &&
        (caps.hour === null || recipients(3_600_000) + row.recipients <= caps.hour) &&
        (caps.day === null || recipients(86_400_000) + row.recipients <= caps.day);
      if (!open) break;
      planned.set(row.id, at);
      lastStartMs = at;
      lines.push({ underWay: view.replyMs > 0, endMs: at + view.replyMs, recipients: row.recipients });
      left = left.filter((one) => one !== row);
    }
  }
  return planned;
}

/** Small repeatable numbers, so that a slow run is the same run again. */
function lcg(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % below;
  };
}
