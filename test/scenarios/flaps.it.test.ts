/** A line that breaks again and again. In a file of its own: what is counted is this process's. */
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { drain, full, judge, makeWays, report, until } from './kit.ts';

const timeout = 300_000;

/** What a leak would make grow: open files and sockets, timers and requests of the event loop, listeners. */
function holdings(emitters: NodeJS.EventEmitter[]) {
  const listeners = (on: NodeJS.EventEmitter) =>
    on.eventNames().reduce((sum, name) => sum + on.listenerCount(name), 0);
  return {
    files: readdirSync('/proc/self/fd').length,
    resources: process.getActiveResourcesInfo().length,
    listeners: [process as NodeJS.EventEmitter, ...emitters].reduce((sum, on) => sum + listeners(on), 0),
  };
}

describe('a line that breaks', () => {
  /** what leaks with each of them shows after 60 more as after 180 */
  const flaps = full ? 200 : 80;
  const first = 20;

  it(`is cut ${flaps} times while mails leave, and nothing is left behind`, { timeout }, async ({
    onTestFinished,
  }) => {
    const ways = await makeWays(onTestFinished);
    const warnings: string[] = [];
    const warned = (warning: Error) => void warnings.push(String(warning));
    process.on('warning', warned);
    const console = await ways.open({
      uncapped: true,
      smtp: { ...ways.shop.profile.smtp, via: 'tunnel', connections: 2 },
    });
    await drain(console);
    let early = holdings([console.events]);
    const began = Date.now();
    for (let flap = 1; flap <= flaps; flap += 1) {
      await ways.put(4);
      await ways.arrived(ways.mails().length + 1, 15_000);
      ways.network.cut();
      if (flap === first) {
        await quiet();
        early = holdings([console.events]);
      }
    }
    report(`${flaps} flaps took`, Date.now() - began);
    await quiet();
    const late = holdings([console.events]);
    if (full)
      globalThis.console.log(
        `after ${first} flaps ${JSON.stringify(early)}, after ${flaps} ${JSON.stringify(late)}`,
      );
    // one connection to the database more or less
    expect(late.files).toBeLessThanOrEqual(early.files + 3);
    expect(late.resources).toBeLessThanOrEqual(early.resources + 6);
    expect(late.listeners).toBeLessThanOrEqual(early.listeners);
    expect(warnings).toEqual([]);
    process.off('warning', warned);
    // A cut after the dot is a doubt; in the body, twice for one row, a later try; in a claim's COMMIT a row that waits for
    // its lease. None of them arrives twice.
    await judge(ways, { doubts: 2 * flaps, capped: false, waiting: true });

    /** Nothing under way any more: what is left waits for its next try, or for a lease to run out. */
    async function quiet(): Promise<void> {
      let last = '';
      let since = Date.now();
      await until(
        'nothing moves any more',
        async () => {
          const rows = await ways.shop.rows("state IN ('pending', 'sending')");
          const now = rows.map((row) => `${row['id']} ${row['state']}`).join();
          if (now !== last) since = Date.now();
          last = now;
          return Date.now() - since > 3_000;
        },
        60_000,
      );
    }
  });
});
