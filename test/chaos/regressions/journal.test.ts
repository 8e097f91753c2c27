/** What a failing disk may do to the journal. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Journal } from '../../../src-main/engine/journal.ts';
import { nothingSaid, sent } from '../../../src-main/queue/transitions.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'postroom-journal-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const answer = (claimId: string) =>
  sent({ id: 1, claimId, messageId: '<1@shop.example>' }, { ...nothingSaid, recipients: 1 }, null);
/** The file under the journal, to put a fault into. */
const handleOf = (journal: Journal) =>
  journal as unknown as { handle: Pick<FileHandle, 'write' | 'datasync'> };

describe('the journal on a failing disk', () => {
  it('lets nothing start on room that was reserved before a write failed', async () => {
    const journal = await Journal.open(path.join(folder, 'journal'));
    await journal.reserve(1);
    const inner = handleOf(journal);
    const { handle } = inner;
    const broken = () => Promise.reject(Object.assign(new Error('input/output error'), { code: 'EIO' }));
    inner.handle = { write: broken, datasync: broken };
    await expect(journal.remember(answer('a'))).rejects.toMatchObject({ code: 'disk' });
    await expect(journal.reserve(1)).rejects.toMatchObject({ code: 'disk' });
    // it is not forgotten while the process lives
    expect(journal.unsettled()).toHaveLength(1);
    inner.handle = handle;
    await journal.reserve(1);
    await journal.remember(answer('b'));
    await journal.close();
    expect((await Journal.readOnly(path.join(folder, 'journal'))).map((one) => one.claimId)).toEqual([
      'a',
      'b',
    ]);
  });

  it('writes the rest of what a nearly full disk took in part', async () => {
    const file = path.join(folder, 'journal');
    const journal = await Journal.open(file);
    const inner = handleOf(journal);
    const { handle } = inner;
    const short = (bytes: Buffer, offset: number, length: number, position: number) =>
      handle.write(bytes, offset, Math.min(length, 10), position);
    inner.handle = { write: short as FileHandle['write'], datasync: () => handle.datasync() };
    await journal.remember(answer('a'));
    expect(readFileSync(file, 'utf8').split('\n')[0]).toBe(JSON.stringify(answer('a')));
    inner.handle = handle;
    await journal.close();
  });
});
