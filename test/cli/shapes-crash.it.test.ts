/** A worker on a shop's own table, ended by kill -9 while a mail is on its way, and what its successor makes of it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { makeShapeShop, type ShapeShop, type ShapeShopOptions } from '../support/shape-shop.ts';
import type { SmtpEvent } from '../support/smtp-server.ts';
import { builtCli, type Folder, makeFolder, type Running, runCli, startCli } from './kit.ts';

let shop: ShapeShop | null = null;
let folder: Folder;
const running: Running[] = [];
beforeAll(async () => {
  await builtCli();
});
afterEach(async () => {
  for (const one of running.splice(0)) one.child.kill('SIGKILL');
  await shop?.close();
  await folder?.remove();
  shop = null;
});

const variants = (['wp-email-queue', 'jobs', 'email-jobs'] as const).flatMap((shape) =>
  [true, false].map((booksInShop) => ({
    title: `${shape}, books with ${booksInShop ? 'the shop' : 'the console'}`,
    shape,
    booksInShop,
  })),
);

describe.each(variants)('$title', (variant: ShapeShopOptions) => {
  /** Starts a worker and kills it when the mail server hears `step` for the first time and says nothing. */
  async function killedAt(step: SmtpEvent['step']): Promise<{ made: ShapeShop; config: string; id: string }> {
    const made = await makeShapeShop(variant);
    shop = made;
    folder = await makeFolder();
    const config = await folder.file('config.json', made.profile);
    const id = await made.put('once@example.test');
    let heard = false;
    made.smtp.behaviour = (event) => {
      if (event.step !== step || heard) return undefined;
      heard = true;
      return { silent: true };
    };
    const one = startCli(['drain', '--config', config, '--state', made.stateDir]);
    running.push(one);
    for (const end = Date.now() + 20_000; !heard; await sleep(20))
      if (Date.now() > end) throw new Error('the mail server was never asked');
    await sleep(300);
    one.child.kill('SIGKILL');
    await one.ended;
    return { made, config, id };
  }
  const again = (config: string, made: ShapeShop) =>
    runCli(['drain', '--until-empty', '--json', '--config', config, '--state', made.stateDir]);

  it.each(['mail', 'data'] as const)('killed at %s: sent once by the next one', async (step) => {
    const { made, config, id } = await killedAt(step);
    const ran = await again(config, made);
    expect(ran.code, ran.stderr).toBe(0);
    expect(made.smtp.mails.map((mail) => mail.to)).toEqual([['once@example.test']]);
    const row = (await made.rows()).get(id);
    expect([undefined, 'enviado', 'done']).toContain(row?.word);
  });

  it('killed when the dot was sent: in doubt, never sent again by itself', async () => {
    const { made, config, id } = await killedAt('dot');
    const ran = await again(config, made);
    expect(ran.code, ran.stderr).toBe(1);
    expect(made.smtp.mails).toHaveLength(0);
    const shown = await runCli(['show', id, '--json', '--config', config, '--state', made.stateDir]);
    expect(JSON.parse(shown.stdout)).toMatchObject({ in_doubt: true, state: 'failed' });
    expect(['falha', 'dead']).toContain((await made.rows()).get(id)?.word);
  });
});

describe('two workers on one shop', () => {
  it.each(variants.filter((one) => one.booksInShop))(
    '$title: each mail once, together under the cap',
    async (variant) => {
      const made = await makeShapeShop({
        ...variant,
        profile: { uncapped: false, settings: { rate_per_minute: 60 } },
      });
      shop = made;
      const ids: string[] = [];
      for (let n = 0; n < 6; n += 1) ids.push(await made.put(`both-${n}@example.test`));
      const consoles = [await made.open(), await made.open({}, `${made.stateDir}-2`)];
      await Promise.all(consoles.map((one) => one.startDraining()));
      await Promise.all(consoles.map((one) => one.untilEmpty(AbortSignal.timeout(30_000))));
      const lines = await Promise.all(
        ids.map(async (id) => (await consoles[0]?.desk.show(id))?.history ?? []),
      );
      for (const one of consoles) await one.close();
      expect(made.smtp.mails.map((mail) => mail.to[0]).sort()).toEqual(
        ids.map((_, n) => `both-${n}@example.test`),
      );
      // by the database's clock: the way of the two to the mail server is not one way
      const starts = lines
        .flat()
        .map((line) => line.started_ms)
        .sort((a, b) => a - b);
      expect(starts).toHaveLength(6);
      for (let n = 1; n < 6; n += 1)
        expect((starts[n] ?? 0) - (starts[n - 1] ?? 0)).toBeGreaterThanOrEqual(1_000);
    },
  );
});

describe('rows that another worker holds', () => {
  it.each(variants)('$title: left alone, and in doubt when nothing becomes of them', async (variant) => {
    const made = await makeShapeShop(variant);
    shop = made;
    const id = await made.put('theirs@example.test');
    await made.put('ours@example.test');
    await made.holdElsewhere(id);
    const one = await made.open();
    await one.startDraining();
    for (const end = Date.now() + 15_000; made.smtp.mails.length < 1; await sleep(50))
      if (Date.now() > end) throw new Error('nothing was sent');
    await sleep(500);
    expect(made.smtp.mails.map((mail) => mail.to[0])).toEqual(['ours@example.test']);
    expect((await one.desk.retry({ ids: [id] })).refused).toMatchObject([{ id }]);
    expect((await one.desk.remove({ ids: [id] })).refused).toMatchObject([{ id }]);
    expect(await one.desk.show(id)).toMatchObject({ state: 'sending', in_doubt: false });
    await one.close();
    expect(['processando', 'reserved', 'processing']).toContain((await made.rows()).get(id)?.word);
  });
});
