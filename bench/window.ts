/**
 * The window: first useful paint and memory beside an empty window of the same runtime, one after the other in turns; and the
 * queue screen with 100,000 rows while they drain: how soon it is there, and how evenly it scrolls. Needs a built app.
 */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type ElectronApplication, _electron as electron, type Page } from 'playwright-core';
import type { ServerDatabase } from '../src-main/contract/profile.ts';
import { openPlace } from '../src-main/queue/place.ts';
import { applySchema } from '../src-main/queue/schema.ts';
import { seedSettings } from '../src-main/queue/settings-table.ts';
import { openMysql } from '../src-main/shop/mysql.ts';
import { type MariadbServer, makeDatabase, startMariadb } from '../test/support/mariadb.ts';
import { median, type Sink, startSink } from './run.ts';

const root = process.env['POSTROOM_BENCH_ROOT'] ?? '';
const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : []; // Chromium refuses root with it
const rounds = 5;
const rows = 100_000;

interface Desktop {
  env: Record<string, string>;
  end: () => Promise<void>;
}

export async function windowFigures(): Promise<void> {
  const load = <T>(script: string) => import(path.join(root, 'scripts', script)) as Promise<T>;
  const { startDesktop } = await load<{ startDesktop: () => Promise<Desktop> }>('lib/desktop.mjs');
  const { electronRuntime } = await load<{ electronRuntime: () => Promise<{ executable: string }> }>(
    'electron-runtime.mjs',
  );
  const desktop = await startDesktop();
  const { executable } = await electronRuntime();
  try {
    await beside({ executable, env: desktop.env });
    await screen({ executable, env: desktop.env });
  } finally {
    await desktop.end();
  }
}

interface Runtime {
  executable: string;
  env: Record<string, string>;
}

async function start({ executable, env }: Runtime, args: string[]): Promise<ElectronApplication> {
  return electron.launch({
    executablePath: executable,
    args: [...asRoot, ...args],
    env: { ...(process.env as Record<string, string>), ...env, LANGUAGE: 'en' },
    timeout: 60_000,
  });
}

/** ms from the start of the process until the heading is painted, and MB of all its processes (PSS) 3 s later. */
async function look(runtime: Runtime, args: string[], heading: string): Promise<{ ms: number; mb: number }> {
  const began = performance.now();
  const app = await start(runtime, args);
  const page = await app.firstWindow();
  await page.getByRole('heading', { name: heading }).waitFor();
  await painted(page);
  const ms = performance.now() - began;
  await page.waitForTimeout(3_000);
  const pids = await app.evaluate(({ app: own }) => own.getAppMetrics().map(({ pid }) => pid));
  const mb = pids.reduce((sum, pid) => sum + pssOf(pid), 0);
  await app.close();
  return { ms, mb };
}

const painted = (page: Page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));

/** MB that a process has for itself, shared pages divided among their users. */
function pssOf(pid: number): number {
  const found = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'));
  return Number(found?.[1] ?? 0) / 1024;
}

async function beside(runtime: Runtime): Promise<void> {
  const ours: { ms: number; mb: number }[] = [];
  const empty: { ms: number; mb: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    empty.push(await look(runtime, [path.join(root, 'bench/empty-window')], 'Empty'));
    const userData = await mkdtemp(path.join(tmpdir(), 'postroom-bench-'));
    ours.push(await look(runtime, [root, `--user-data-dir=${userData}`], 'Welcome to Postroom'));
    await rm(userData, { recursive: true, force: true });
  }
  const of = (list: typeof ours, what: 'ms' | 'mb') => median(list.map((one) => one[what]));
  const ratio = (what: 'ms' | 'mb') => (of(ours, what) / of(empty, what)).toFixed(2);
  console.log('| beside an empty window | empty | ours | ratio |');
  console.log('| --- | --- | --- | --- |');
  for (const [name, what] of [
    ['start to first useful paint, ms', 'ms'],
    ['memory, MB (PSS)', 'mb'],
  ] as const)
    console.log(
      `| ${name} | ${of(empty, what).toFixed(0)} | ${of(ours, what).toFixed(0)} | ${ratio(what)} |`,
    );
}

async function screen(runtime: Runtime): Promise<void> {
  const server = await startMariadb({ durable: true, args: ['--innodb-buffer-pool-size=512M'] });
  const sink = await startSink();
  const many = await openShop(runtime, server, sink, rows);
  console.log('\n| the queue screen | ms |');
  console.log('| --- | --- |');
  console.log(`| from the click to ${rows} rows | ${many.opensMs.map((ms) => ms.toFixed(0)).join(', ')} |`);
  for (const [how, frames] of Object.entries(many.frames))
    console.log(`| frames while ${how}: p50, p95, most | ${frames.map((ms) => ms.toFixed(0)).join(', ')} |`);
  console.log(`| memory of all processes with it open, MB (PSS) | ${many.mb.toFixed(0)} |`);
  sink.process.disconnect();
  await server.remove();
}

async function openShop(runtime: Runtime, server: MariadbServer, sink: Sink, count: number) {
  const database = await filled(server, count);
  const userData = await mkdtemp(path.join(tmpdir(), 'postroom-bench-'));
  const form = {
    name: 'Bench shop',
    database,
    smtp: { host: '127.0.0.1', port: sink.port, security: 'none' },
    from: 'Bench <shop@shop.example>',
  };
  const profiles = [{ id: '7b1e4b1c-6a43-4d8e-9a53-7d1f1d1c0001', name: form.name, demo: false, form }];
  await writeFile(path.join(userData, 'profiles.json'), JSON.stringify({ profiles, last: profiles[0]?.id }));
  const app = await start(runtime, [root, `--user-data-dir=${userData}`]);
  const page = await app.firstWindow();
  page.setDefaultTimeout(60_000);
  const go = (name: string) => page.getByRole('navigation').getByRole('button', { name }).click();
  const row = page.getByRole('checkbox', { name: /^Select the mail/ }).first();
  await row.waitFor();
  const opensMs: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    await go('Settings');
    await page.getByRole('tab', { name: 'Pace' }).waitFor();
    await page.waitForTimeout(500);
    opensMs.push(await timeOpening(page));
  }
  const grid = page.getByRole('grid', { name: 'Mails' });
  const box = await grid.boundingBox();
  await page.mouse.move((box?.x ?? 0) + 200, (box?.y ?? 0) + 200);
  const frames = {
    nothing: await framesWhile(page, () => page.waitForTimeout(2_000)),
    'the wheel turns': await framesWhile(page, async () => {
      for (let i = 0; i < 60; i += 1) {
        await page.mouse.wheel(0, 400);
        await page.waitForTimeout(30);
      }
    }),
    'the bar is dragged to the end and back': await framesWhile(page, async () => {
      for (let i = 0; i <= 40; i += 1) {
        await grid.evaluate(
          (element, part) => {
            element.scrollTop = element.scrollHeight * part;
          },
          (i <= 20 ? i : 40 - i) / 20,
        );
        await page.waitForTimeout(50);
      }
    }),
    'an arrow key is held': await framesWhile(page, async () => {
      await row.focus().catch(() => undefined);
      for (let i = 0; i < 80; i += 1) {
        await page.keyboard.press('ArrowDown');
        await page.waitForTimeout(20);
      }
    }),
  };
  const pids = await app.evaluate(({ app: own }) => own.getAppMetrics().map(({ pid }) => pid));
  const mb = pids.reduce((sum, pid) => sum + pssOf(pid), 0);
  await app.evaluate(({ app: own }) => own.exit(0)).catch(() => undefined);
  await rm(userData, { recursive: true, force: true });
  return { opensMs, frames, mb };
}

/** ms from the click on Queue to the first frame that shows rows, measured within the page. */
const timeOpening = (page: Page): Promise<number> =>
  page.evaluate(
    () =>
      new Promise<number>((done) => {
        const button = [...document.querySelectorAll<HTMLElement>('nav button')].find((one) =>
          one.textContent?.includes('Queue'),
        );
        const began = performance.now();
        button?.click();
        const check = () => {
          if (document.querySelector('[role=grid] [role=gridcell] input')) done(performance.now() - began);
          else requestAnimationFrame(check);
        };
        requestAnimationFrame(check);
      }),
  );

/** Lengths of the frames (ms) while something is done: median, 95th percentile, longest. */
async function framesWhile(page: Page, act: () => Promise<unknown>): Promise<[number, number, number]> {
  await page.evaluate(() => {
    const recorder = { last: performance.now(), lengths: [] as number[], on: true };
    (globalThis as unknown as { frames: typeof recorder }).frames = recorder;
    const tick = (now: number) => {
      recorder.lengths.push(now - recorder.last);
      recorder.last = now;
      if (recorder.on) requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  });
  await act();
  const lengths = await page.evaluate(() => {
    const { frames } = globalThis as unknown as { frames: { lengths: number[]; on: boolean } };
    frames.on = false;
    return frames.lengths.slice(1);
  });
  const sorted = [...lengths].sort((a, b) => a - b);
  const at = (part: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
  return [at(0.5), at(0.95), at(1)];
}

/** A shop that drains while it is looked at; its login has no password, so that none must be typed. */
async function filled(server: MariadbServer, count: number): Promise<ServerDatabase> {
  const database = await makeDatabase(server);
  const db = openMysql(database);
  const place = await openPlace(db, database.tablePrefix);
  await applySchema(place);
  await seedSettings(place, { rate_per_minute: 60 }, 1);
  for (let at = 0; at < count; at += 500)
    await db.run(
      `INSERT INTO ${place.t.queue} (context, title, order_id, recipient, subject, payload, state, scheduled_at, created_at, sent_at)
       VALUES ${Array.from({ length: 500 }, () => "('customer_completed_order', 'Completed order', ?, ?, ?, ?, ?, 1, 1760000000, ?)").join(', ')}`,
      Array.from({ length: 500 }, (_, i) => at + i).flatMap((n) => {
        const to = `customer${n}@shop${n % 40}.example`;
        const sent = n < count - 500;
        const payload = JSON.stringify({ to, subject: `Order ${n}`, message: 'x'.repeat(1_000) });
        return [
          n,
          to,
          `Your order #${n} is complete`,
          payload,
          sent ? 'sent' : 'pending',
          sent ? 1_760_000_060 : null,
        ];
      }),
    );
  await db.run(`UPDATE ${place.t.settings} SET value = '"enabled"' WHERE name = 'state'`);
  await db.close();
  await server.admin(`ALTER USER '${database.user}'@'127.0.0.1' IDENTIFIED BY ''`);
  const { password: _password, ...rest } = database;
  return { ...rest, password: null };
}
