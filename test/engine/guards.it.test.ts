/** The point of no return, asked ahead where nothing spaces the mails: what an answer is worth, and for how long. */
import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Dots } from '../../src-main/engine/dots.ts';
import { Guards } from '../../src-main/engine/guards.ts';
import { StateKeeper } from '../../src-main/engine/state.ts';
import type { Claim } from '../../src-main/queue/claim.ts';
import { grantAndClaim } from '../../src-main/queue/claim.ts';
import { readStateAndSettings, writeValue } from '../../src-main/queue/settings-table.ts';
import { type Bench, clear, linesOf, mariadbBench, order, put } from '../queue/bench.ts';

let bench: Bench;
let dots: Dots;
beforeAll(async () => {
  dots = new Dots(mkdtempSync(path.join(tmpdir(), 'postroom-dots-')));
  bench = await mariadbBench();
});
beforeEach(() => clear(bench));
afterAll(() => bench.close());

async function held(count: number): Promise<Claim[]> {
  for (let n = 0; n < count; n += 1) await put(bench.place);
  return (await grantAndClaim(bench.place, order({ uncapped: true, most: count }))).claims;
}
const guards = (stopped = new AbortController().signal) =>
  new Guards(bench.place, dots, { connections: 5, uncapped: true, stopped });
/** Another console takes the row over. */
const takeOver = (claim: Claim) =>
  bench.place.db.run(`UPDATE ${bench.place.t.queue} SET claim_id = ? WHERE id = ?`, [randomUUID(), claim.id]);

describe('asked ahead', () => {
  it('its answer counts at the dot and is not asked for twice', async () => {
    const [claim] = await held(1);
    if (!claim) throw new Error('no claim');
    const pass = guards().pass(claim, 0);
    pass.askAhead();
    await sleep(100);
    const [line] = await linesOf(bench.place, claim.id);
    expect(line?.['body_ms']).not.toBeNull();
    await sleep(100);
    await pass.beforeDot();
    expect((await linesOf(bench.place, claim.id))[0]).toEqual(line);
  });

  it('counts for no longer than a second: a claim that is lost later than that is found lost', async () => {
    const [stopped, neighbour] = await held(2);
    if (!stopped || !neighbour) throw new Error('no claims');
    const both = [stopped, neighbour].map((claim) => guards().pass(claim, 0));
    for (const pass of both) pass.askAhead();
    await sleep(200);
    // within the second nobody can have taken it over but by hand: the lease lasts minutes
    await both[1]?.beforeDot();
    await takeOver(stopped);
    await sleep(900);
    await expect(both[0]?.beforeDot()).rejects.toThrow('the claim is no longer held');
  });

  it('a claim that is lost already lets no dot go', async () => {
    const [claim] = await held(1);
    if (!claim) throw new Error('no claim');
    await takeOver(claim);
    const pass = guards().pass(claim, 0);
    pass.askAhead();
    await expect(pass.beforeDot()).rejects.toThrow('the claim is no longer held');
  });

  it('is not done where a gate spaces the mails', async () => {
    const [claim] = await held(1);
    if (!claim) throw new Error('no claim');
    const pass = guards().pass(claim, 1000);
    pass.askAhead();
    await sleep(100);
    expect((await linesOf(bench.place, claim.id))[0]?.['body_ms']).toBeNull();
    await pass.beforeDot();
    expect((await linesOf(bench.place, claim.id))[0]?.['body_ms']).not.toBeNull();
  });

  it('a console that stops lets no dot go, whatever was answered before', async () => {
    const [claim] = await held(1);
    if (!claim) throw new Error('no claim');
    const stop = new AbortController();
    const pass = guards(stop.signal).pass(claim, 0);
    pass.askAhead();
    await sleep(50);
    stop.abort(new Error('the console stops'));
    await expect(pass.beforeDot()).rejects.toThrow('the console stops');
  });
});

describe('the state, moved by two at once', () => {
  it('is told to both as it stands, not as one of them saw it before', async () => {
    await put(bench.place);
    for (let n = 0; n < 10; n += 1) {
      await writeValue(bench.place, 'state', 'disabled');
      const told = await Promise.all(
        [1, 2, 3].map(() => new StateKeeper(bench.place, new EventEmitter()).lookAgain()),
      );
      expect(told).toEqual(['draining', 'draining', 'draining']);
      expect((await readStateAndSettings(bench.place)).state).toBe('draining');
    }
  });
});
