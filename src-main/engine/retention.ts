/** Retention: daily, in bounded batches that say what they moved. It is a matter of privacy too: rows hold customers' mails. */

import { toWireError } from '../contract/errors.ts';
import { pruneConsoles } from '../queue/consoles.ts';
import { writeLog } from '../queue/log.ts';
import type { Place } from '../queue/place.ts';
import {
  clearLogBatch,
  pruneBatch,
  pruneLedger,
  pruneLog,
  pruneRows,
  unownedFolders,
} from '../queue/prune.ts';
import { readStateAndSettings } from '../queue/settings-table.ts';
import { folderToken, type ShopFiles } from '../shop/files.ts';

export interface RetentionReport {
  sent: number;
  failed: number;
  log: number;
  ledger: number;
  folders: number;
}

/** A folder younger than a day may belong to a row whose INSERT has not landed yet (plan section 3.3), s. */
const folderFloorS = 86_400;

export async function pruneOnce(
  place: Place,
  files: ShopFiles | null,
  signal?: AbortSignal,
): Promise<RetentionReport> {
  const { settings } = await readStateAndSettings(place);
  const report: RetentionReport = { sent: 0, failed: 0, log: 0, ledger: 0, folders: 0 };
  const days = { sent: settings.retention_sent_days, failed: settings.retention_failed_days };
  for (const state of ['sent', 'failed'] as const) {
    for (;;) {
      signal?.throwIfAborted();
      const pruned = await pruneRows(place, state, days[state]);
      report[state] += pruned.rows;
      report.folders += await removeFolders(files, await unownedFolders(place, pruned.folders));
      if (pruned.rows < pruneBatch) break;
    }
  }
  report.log = await repeat(() => pruneLog(place, settings.retention_log_days), signal);
  report.ledger = await repeat(() => pruneLedger(place), signal);
  await pruneConsoles(place);
  report.folders += await collectFolders(place, files).catch(async (error: unknown) => {
    // a folder that is not there says nothing about the way to the shop
    const message = `Old attachment folders could not be looked at: ${toWireError(error).message}`;
    await writeLog(place, [{ level: 'warning', queueId: null, message }]);
    return 0;
  });
  const total = report.sent + report.failed + report.log + report.ledger + report.folders;
  if (total > 0) {
    const message = `Retention removed ${report.sent} sent and ${report.failed} failed rows, ${report.log} log lines, ${report.ledger} history lines, ${report.folders} attachment folders`;
    await writeLog(place, [{ level: 'info', queueId: null, message }]);
  }
  return report;
}

/** Deletes every log line, batch by batch; answers how many, also when it was stopped before the last one. */
export async function clearLog(place: Place, signal?: AbortSignal): Promise<number> {
  let total = 0;
  while (!signal?.aborted) {
    const moved = await clearLogBatch(place);
    total += moved;
    if (moved < pruneBatch) break;
  }
  return total;
}

async function repeat(step: () => Promise<number>, signal?: AbortSignal): Promise<number> {
  let total = 0;
  for (;;) {
    signal?.throwIfAborted();
    const moved = await step();
    total += moved;
    if (moved < pruneBatch) return total;
  }
}

/** Folders whose row is gone or sent: their deletion failed, or a fatal came between copy and INSERT. */
async function collectFolders(place: Place, files: ShopFiles | null): Promise<number> {
  if (!files) return 0;
  const old = (await files.listFolders()).filter(
    ({ folder, ageS }) => folderToken.test(folder) && ageS > folderFloorS,
  );
  return removeFolders(
    files,
    await unownedFolders(
      place,
      old.map(({ folder }) => folder),
    ),
  );
}

export async function removeFolders(files: ShopFiles | null, folders: readonly string[]): Promise<number> {
  if (!files) return 0;
  let removed = 0;
  for (const folder of folders) if (await files.removeFolder(folder).catch(() => false)) removed += 1;
  return removed;
}
