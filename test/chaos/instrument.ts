/** Sees a row's life pass by in the worker's own database and journal, and lets faults act at its named points. */
import { PostroomError } from '../../src-main/contract/errors.ts';
import type { Journal } from '../../src-main/engine/journal.ts';
import type { Settlement } from '../../src-main/queue/transitions.ts';
import type { Database, Queryable, SqlValue } from '../../src-main/shop/database.ts';
import type { Quirks, WorkerPoint } from './words.ts';

/** What the proxies tell, and where they stand still. */
export interface Watch {
  /** Passes a named point; does not come back from a SIGKILL. */
  at(point: WorkerPoint, claims: string[]): Promise<void>;
  felt(what: string): void;
  id(consoleId: string): void;
}

/** The statements by which a point is known. A rewritten statement shows as a fault that never fires. */
const statements = {
  pace: /FROM `\w+_pace` WHERE id = 1 FOR UPDATE/,
  candidates: /FROM `\w+_(?:queue|cards)`.*WHERE state = 'pending'/s,
  openLines: /^INSERT INTO `\w+_attempts`/,
  pointOfNoReturn: /SET q\.claimed_at = .*body_ms/s,
  lockClaims: /^SELECT claim_id FROM `\w+_(?:queue|cards)`.*FOR UPDATE/s,
  settleSent: /SET state = 'sent', sent_at/,
  fromJournal: /state = 'sent'.*message_id/s,
  takeOver: /SET state = \?, in_doubt = \?/,
  heartbeat: /UPDATE `\w+_consoles` SET name/,
};
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const uuidsOf = (params: readonly SqlValue[]) => [
  ...new Set(params.filter((one): one is string => typeof one === 'string' && uuid.test(one))),
];

/** A database that passes the points of claim, guard, settle, replay and reap. */
export function watchDatabase(db: Database, watch: Watch, quirks: Quirks): Database {
  const unrest = async () => {
    // the pool lends the connection it got back last: most probably the next statement's
    if (quirks.shortWait) await db.run('SET SESSION wait_timeout = 1').catch(() => {});
  };
  return {
    dialect: db.dialect,
    capabilities: () => db.capabilities(),
    ping: () => db.ping(),
    close: () => db.close(),
    query: async (sql, params) => {
      await unrest();
      return db.query(sql, params);
    },
    run: async (sql, params = []) => {
      if (statements.heartbeat.test(sql)) watch.id(String(params.at(-1)));
      if (!statements.pointOfNoReturn.test(sql)) return db.run(sql, params);
      const claims = uuidsOf(params);
      await watch.at('guard-before', claims);
      const answer = await db.run(sql, params);
      // rows of both tables are counted; whose claim is lost is refused and has no point to pass
      if (answer.matched === claims.length * 2) await watch.at('guard-after', claims);
      return answer;
    },
    transaction: async (work) => {
      const passed = { granted: [] as string[], settled: [] as string[] };
      const value = await db.transaction((tx) => {
        passed.granted = [];
        passed.settled = [];
        return work(watchTransaction(tx, watch, passed));
      });
      if (passed.granted.length > 0) await watch.at('after-claim', passed.granted);
      if (passed.settled.length > 0) await watch.at('after-settle', passed.settled);
      return value;
    },
  };
}

function watchTransaction(
  tx: Queryable,
  watch: Watch,
  passed: { granted: string[]; settled: string[] },
): Queryable {
  let paceLocked = false;
  const feeling = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      if ((error as { errno?: number }).errno === 1213) watch.felt('deadlock');
      throw error;
    }
  };
  return {
    dialect: tx.dialect,
    query: async <T>(sql: string, params: readonly SqlValue[] = []) => {
      const rows = await feeling(tx.query<T>(sql, params));
      if (statements.pace.test(sql)) paceLocked = true;
      if (paceLocked && statements.candidates.test(sql) && rows.length > 0)
        await watch.at('grant-locked', []);
      if (statements.lockClaims.test(sql) && rows.length > 0)
        await watch.at('settle-locked', uuidsOf(params));
      return rows;
    },
    run: async (sql, params = []) => {
      const answer = await feeling(tx.run(sql, params));
      if (statements.openLines.test(sql)) {
        // (queue_id, console_id, claim_id, started_ms, recipients, message_id)
        passed.granted = params.filter((_, index) => index % 6 === 2).map(String);
        await watch.at('in-grant', passed.granted);
      } else if (statements.settleSent.test(sql)) {
        passed.settled = uuidsOf(params);
        await watch.at('in-settle', passed.settled);
      } else if (statements.fromJournal.test(sql)) await watch.at('in-replay', uuidsOf(params));
      else if (statements.takeOver.test(sql)) await watch.at('in-reap', uuidsOf(params));
      return answer;
    },
  };
}

/** A journal that passes its two points, and fails as a disk does where the worker's quirks say so. */
export function watchJournal(journal: Journal, watch: Watch, quirks: Quirks): Journal {
  return new Proxy(journal, {
    get(target, key) {
      if (key === 'remember') return (settlement: Settlement) => remember(target, settlement, watch, quirks);
      if (key === 'reserve') {
        return async (conversations: number) => {
          if (quirks.diskFull) {
            watch.felt('disk-full');
            throw new PostroomError('disk', 'The journal cannot be written (the disk is full).');
          }
          await target.reserve(conversations);
        };
      }
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

async function remember(journal: Journal, settlement: Settlement, watch: Watch, quirks: Quirks) {
  await watch.at('before-journal', [settlement.claimId]);
  if ((quirks.journalErrors ?? 0) > 0) {
    quirks.journalErrors = (quirks.journalErrors ?? 0) - 1;
    watch.felt('journal-error');
    throw new PostroomError('disk', 'The journal cannot be written (input/output error).');
  }
  await journal.remember(settlement);
  await watch.at('after-journal', [settlement.claimId]);
}
