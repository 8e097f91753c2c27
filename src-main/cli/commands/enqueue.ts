import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from 'commander';
import type { Desk, MailToEnqueue } from '../../contract/desk.ts';
import { PostroomError, toWireError } from '../../contract/errors.ts';
import { withHome } from '../config.ts';
import type { Io } from '../io.ts';
import { readMailLines } from '../mail-lines.ts';
import { type Tools, withShop } from '../open.ts';
import { readCommon, withCommon } from '../options.ts';
import { plain, safeJson } from '../text.ts';
import { count } from '../times.ts';

const help = `
One JSON object a line: {"to": "anna@example.com", "subject": "Your order", "message": "<p>...</p>"}
and, where wanted: headers, attachments, alt, context, title, order_id, priority, send_at.
All lines are checked before the first is written. The ids of the new rows are printed, one a line.`;

export function enqueueCommand(program: Command, tools: Tools): void {
  const { io } = tools;
  withCommon(program.command('enqueue').summary('put mails into the queue'))
    .option('--file <file>', 'NDJSON file; - or no --file reads from stdin', '-')
    .addHelpText('after', help)
    .action(async (options: { file: string }, command: Command) => {
      const common = readCommon(command);
      const mails = readMailLines(await readInput(options.file, io));
      await withShop(tools, common, async (shop) => {
        if (mails.length > 0) await writeAll(shop.desk, mails, io, common.json);
        io.say(mails.length === 0 ? 'There was no mail to queue.' : `${count(mails.length, 'mail')} queued.`);
      });
    });
}

/**
 * In one call, so that a mail that can never leave is named before anything is written. When the shop is lost in the
 * middle, nobody can say from here how far it came.
 */
async function writeAll(desk: Desk, mails: MailToEnqueue[], io: Io, json: boolean): Promise<void> {
  const ids = await desk.enqueue(mails).catch((error: unknown) => {
    const { code, message } = toWireError(error);
    if (code === 'usage' || code === 'schema') throw error;
    const words = `${message} Some of the ${count(mails.length, 'mail')} may be queued: look with \`postroom list\`.`;
    throw new PostroomError(code, words, { cause: error });
  });
  for (const id of ids) await io.data(json ? safeJson({ id }) : plain(String(id)));
}

async function readInput(file: string, io: Io): Promise<string> {
  if (file !== '-') {
    const place = path.resolve(withHome(file));
    return readFile(place, 'utf8').catch((error: unknown) => {
      throw new PostroomError('usage', `The file ${place} cannot be read. Is it there?`, { cause: error });
    });
  }
  if (io.stdin.isTTY) io.say('Reading mails from the keyboard, one JSON object a line. Ctrl+D ends.');
  const parts: Buffer[] = [];
  for await (const part of io.stdin) parts.push(Buffer.isBuffer(part) ? part : Buffer.from(String(part)));
  return Buffer.concat(parts).toString('utf8');
}
