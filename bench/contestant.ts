/**
 * One contestant in a process of its own: `bare` = nodemailer's pool sending from an array, `postroom` = the engine
 * draining a MariaDB table with every promise kept. Told by IPC when to go; the sink says when all arrived.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import nodemailer from 'nodemailer';
import { openShop } from '../src-main/boot.ts';
import { readProfile } from '../src-main/contract/profile.ts';
import { benchMails } from './mails.ts';

interface Order {
  contestant: 'bare' | 'postroom';
  count: number;
  connections: number;
  sinkPort: number;
  /** the database part of a profile; postroom only */
  database?: unknown;
  /** the ssh part of a profile, null without a tunnel; postroom only */
  ssh?: unknown;
}

async function bare(order: Order): Promise<() => Promise<void>> {
  const transport = nodemailer.createTransport({
    pool: true,
    host: '127.0.0.1',
    port: order.sinkPort,
    secure: false,
    ignoreTLS: true,
    maxConnections: order.connections,
    maxMessages: Number.POSITIVE_INFINITY,
    maxRequeues: 0,
  } as Parameters<typeof nodemailer.createTransport>[0]);
  const mails = benchMails(order.count);
  return async () => {
    let next = 0;
    await Promise.all(
      Array.from({ length: order.connections }, async () => {
        for (let mail = mails[next++]; mail; mail = mails[next++]) {
          await transport.sendMail({ from: 'Shop <shop@example.test>', ...mail });
        }
      }),
    );
    transport.close();
  };
}

async function postroom(order: Order): Promise<() => Promise<void>> {
  const stateDir = mkdtempSync(path.join(tmpdir(), 'postroom-bench-'));
  const shop = await openShop(
    readProfile(
      {
        name: 'Bench',
        database: order.database,
        ssh: order.ssh ?? null,
        smtp: {
          host: '127.0.0.1',
          port: order.sinkPort,
          security: 'none',
          connections: order.connections,
          via: order.ssh ? 'tunnel' : 'direct',
        },
        from: 'Shop <shop@example.test>',
        uncapped: true,
      },
      'bench',
    ),
    { stateDir, name: 'bench', version: '0' },
  );
  return async () => {
    await shop.startDraining();
    await shop.untilEmpty();
    await shop.close();
    rmSync(stateDir, { recursive: true, force: true });
  };
}

process.once('message', (order: Order) => {
  void (async () => {
    try {
      const run = await (order.contestant === 'bare' ? bare(order) : postroom(order));
      process.once('message', () => {
        const before = process.cpuUsage();
        void run().then(() => {
          // the run's own end: settled, too, not only accepted
          const used = process.cpuUsage(before);
          process.send?.({
            done: true,
            cpuS: (used.user + used.system) / 1e6,
            peakMb: process.resourceUsage().maxRSS / 1024,
          });
        });
      });
      process.send?.({ ready: true });
    } catch (error) {
      console.error(error);
      process.exit(1);
    }
  })();
});
process.on('disconnect', () => process.exit(0));
