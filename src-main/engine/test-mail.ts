/** A test mail to oneself, through the queue like any other: what arrives proves the whole way. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Desk, TestMailReport } from '../contract/desk.ts';
import { PostroomError } from '../contract/errors.ts';
import type { RowDetail, RowId } from '../contract/rows.ts';

const lookEveryMs = 500;
/** the mail type of test mails, so that they can be told apart in lists */
export const testContext = 'postroom_test';

export interface TestMailOptions {
  /** aborted: a mail that still waits is taken out of the queue again; one that is being sent is not */
  signal?: AbortSignal;
  /** why it still waits, in plain words */
  onProgress?: (words: string) => void;
}

/**
 * Puts one mail into the queue and waits until it is through. Somebody must drain: this console or another one.
 * @throws PostroomError `usage` for an address that cannot be used, `stopped`
 */
export async function sendTestMail(
  desk: Desk,
  address: string,
  shop: string,
  { signal, onProgress = () => {} }: TestMailOptions = {},
): Promise<TestMailReport> {
  const began = performance.now();
  const [id] = await desk.enqueue([
    {
      to: address,
      subject: `Postroom test mail (${shop})`,
      message: `This is a test mail. It went through the queue of ${shop} like every mail of the shop: if you read this, they arrive too.\r\n`,
      context: testContext,
      title: 'Test mail',
      priority: 1,
    },
  ]);
  if (id === undefined) throw new PostroomError('bug', 'Expected the id of the test mail, got none');
  for (;;) {
    const row = await desk.show(id);
    if (row.state === 'sent' || row.state === 'failed') return reportOf(row, performance.now() - began);
    if (signal?.aborted) throw new PostroomError('stopped', await takenOut(desk, id));
    onProgress(await waitingWords(desk, row));
    await pause(lookEveryMs, undefined, signal ? { signal } : {}).catch(() => {});
  }
}

/** Only a waiting row can be held, and one that is held is not sent meanwhile: so nothing is deleted that has left. */
async function takenOut(desk: Desk, id: RowId): Promise<string> {
  const held = await desk.change({ ids: [id] }, { do: 'hold', until: null });
  if (held.done === 0) return 'The test mail was on its way already and may arrive.';
  await desk.remove({ ids: [id] });
  return 'The test mail was taken out of the queue again.';
}

async function waitingWords(desk: Desk, row: RowDetail): Promise<string> {
  if (row.state === 'sending') return 'It is being sent.';
  const { pause: paused, now } = await desk.status();
  if (paused) return `It waits: ${paused.reason}`;
  if (row.last_error) return `It is tried again: ${row.last_error}`;
  const inS = row.planned_at === null ? null : Math.max(0, row.planned_at - now);
  return inS === null ? 'It waits for its turn.' : `It waits for its turn, ${inS} s by the limit.`;
}

function reportOf(row: RowDetail, tookMs: number): TestMailReport {
  const last = row.history.at(-1);
  return {
    id: row.id,
    ok: row.state === 'sent',
    words: (row.state === 'sent' ? last?.response : row.last_error) ?? '',
    serverId: last?.server_id ?? null,
    tookS: Math.round(tookMs / 100) / 10,
  };
}
