/** The servers at the other end: restarted, gone, with another key, with another password. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { ServerDatabase } from '../../src-main/contract/profile.ts';
import { startSmtpServer } from '../support/smtp-server.ts';
import { backWithinMs, drain, full, judge, lasting, lastWords, makeWays, report, until } from './kit.ts';

const timeout = full ? 1_500_000 : 90_000;

describe.concurrent('the servers', () => {
  it.for(['stop', 'kill'] as const)(
    '%s: the database is started again in mid-drain',
    { timeout },
    async (end, { onTestFinished }) => {
      const ways = await makeWays(onTestFinished, { ownDatabase: true });
      await ways.put(6);
      const console = await ways.open();
      await drain(console);
      await ways.arrived(2);
      await ways.mariadb?.[end]();
      await sleep(lasting(8_000, 120_000));
      expect(lastWords(ways)).not.toBe('');
      await ways.mariadb?.start();
      const back = await ways.nextMail(backWithinMs);
      report(`database ${end}, next mail after`, back);
      await console.untilEmpty();
      await judge(ways);
    },
  );

  it('the mail server is gone: nothing is counted against a row, the lane tries ever more rarely', {
    timeout,
  }, async ({ onTestFinished }) => {
    const ways = await makeWays(onTestFinished, { mail: 'direct' });
    await ways.put(5);
    const console = await ways.open();
    let pauses = 0;
    console.events.on('lane', (pause) => {
      if (pause) pauses += 1;
    });
    await drain(console);
    await ways.settled(2);
    const { port } = ways.shop.smtp;
    await ways.shop.smtp.close();
    await until('named', async () => {
      const { pause } = await console.desk.status();
      return pause?.by === 'fault' && pause.reason.includes('nobody listens');
    });
    await sleep(lasting(12_000, 600_000));
    expect(pauses).toBe(1); // told once, however often it was tried
    const again = await startSmtpServer({ port });
    ways.alsoJudge(again);
    // the third pause of a lane is 20 to 25 s, the longest 300 s
    const back = await ways.nextMail(lasting(26_000, 305_000));
    report('mail server gone for 10 min, next mail after', back);
    await console.untilEmpty();
    await judge(ways);
    await console.close();
    await again.close();
  });

  it('the SSH server shows another key: everything stops, and no nudge makes it connect again', {
    timeout,
  }, async ({ onTestFinished }) => {
    const ways = await makeWays(onTestFinished);
    await ways.put(4);
    const console = await ways.open();
    await drain(console);
    await ways.settled(2);
    const before = ways.sshd.fingerprint;
    await ways.sshd.stop();
    await ways.sshd.start({ newHostKey: true });
    await until('both fingerprints', () => lastWords(ways).includes(ways.sshd.fingerprint));
    expect(lastWords(ways)).toContain(before);
    const tries = () => ways.sshd.log().split('Connection from').length;
    const triesThen = tries();
    for (let n = 0; n < 5; n += 1) {
      for (const reason of ['network', 'resume', 'manual'] as const) console.wake(reason);
      await sleep(lasting(3_000, 60_000));
    }
    expect(tries()).toBe(triesThen);
    expect(ways.mails()).toHaveLength(2);
    await console.close();
    // a person has compared, and changed the profile
    const next = await ways.open();
    await drain(next);
    await next.untilEmpty();
    await judge(ways);
  });
});

describe.concurrent('a changed password is named, tried rarely, and the new one goes on', () => {
  /** ms in which the tries are counted */
  const patienceMs = lasting(25_000, 300_000);
  /** at 0, 5, 15, 35, 75, 155 and 315 s at the most */
  const mostTries = full ? 7 : 4;

  it('SSH', { timeout }, async ({ onTestFinished }) => {
    const ways = await makeWays(onTestFinished, {
      sshd: { password: 'first' },
      login: { privateKeyFile: null, password: 'first' },
      shop: { profile: {} },
    });
    await ways.put(4);
    const console = await ways.open({ files: null });
    await drain(console);
    await ways.settled(2);
    ways.sshd.setPassword('second');
    ways.sshd.cutSessions();
    await until('named', () => /refused the login of shopuser/.test(lastWords(ways)));
    await sleep(patienceMs);
    expect(ways.sshd.log().split('Failed password').length - 1).toBeLessThanOrEqual(2);
    await console.close();
    const next = await ways.open({
      files: null,
      ssh: ways.sshd.login({ port: ways.network.port, privateKeyFile: null, password: 'second' }),
    });
    await drain(next);
    await next.untilEmpty();
    await judge(ways);
  });

  it('database', { timeout }, async ({ onTestFinished }) => {
    const ways = await makeWays(onTestFinished, { ownDatabase: true });
    const { shop, mariadb } = ways;
    await ways.put(4);
    const console = await ways.open();
    await drain(console);
    await ways.settled(2);
    const database = shop.profile.database as ServerDatabase;
    // the shop's own connections stay: only who logs in anew is refused
    await mariadb?.admin(`ALTER USER '${database.user}'@'127.0.0.1' IDENTIFIED BY 'second'`);
    ways.sshd.cutSessions();
    await until('named', () => /refused the login/.test(lastWords(ways)));
    const refusals = async () =>
      Number(
        (await mariadb?.admin("SHOW GLOBAL STATUS LIKE 'Access_denied_errors'"))?.[0]?.['Value'] ??
          Number.NaN,
      );
    await sleep(patienceMs);
    expect(await refusals()).toBeGreaterThan(0);
    expect(await refusals()).toBeLessThanOrEqual(mostTries);
    await console.close();
    const next = await ways.open({ database: { ...database, password: 'second' } });
    await drain(next);
    await next.untilEmpty();
    await mariadb?.admin(
      `ALTER USER '${database.user}'@'127.0.0.1' IDENTIFIED BY ${quoted(database.password)}`,
    );
    await judge(ways);
  });

  it('mail', { timeout }, async ({ onTestFinished }) => {
    const users: Record<string, string> = { shop: 'first' };
    const ways = await makeWays(onTestFinished, { shop: { smtp: { users } } });
    const smtp = { ...ways.shop.profile.smtp, via: 'tunnel' as const, user: 'shop' };
    await ways.put(4);
    const console = await ways.open({ smtp: { ...smtp, password: 'first' } });
    await drain(console);
    await ways.settled(2);
    users['shop'] = 'second';
    ways.shop.smtp.cutAll();
    let words = '';
    await until('named', async () => {
      words = (await console.desk.status()).pause?.reason ?? '';
      return /refused the login/.test(words);
    });
    expect(words).toContain('535');
    await sleep(patienceMs);
    expect(ways.shop.smtp.logins.filter(({ ok }) => !ok).length).toBeLessThanOrEqual(mostTries);
    await console.close();
    const next = await ways.open({ smtp: { ...smtp, password: 'second' } });
    await drain(next);
    await next.untilEmpty();
    await judge(ways);
  });
});

const quoted = (text: string | null): string => `'${(text ?? '').replace(/[\\']/g, '\\$&')}'`;
