/** What a queued mail costs the shop's request: a hundred in one, with the connector's work and without. */
import { makeSite, type Step } from '../test/connector/kit.ts';

const mails = 100;
/** Characters of a body: mails of WooCommerce have 10 to 14 KB. */
const bodySize = 12_000;

const median = (times: readonly number[]) =>
  [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
const mean = (times: readonly number[]) => times.reduce((sum, time) => sum + time, 0) / times.length;

export async function connectorTimes(): Promise<void> {
  const site = await makeSite();
  try {
    const [file] = (await site.run([['file', ['invoice.pdf', 'x'.repeat(100_000)]]])) as [string];
    console.log('| a mail of 12 KB | median ms | mean ms | of 100 in one request |');
    console.log('| --- | --- | --- | --- |');
    for (const [what, more] of [
      ['HTML', {}],
      ['multipart', { type: 'multipart' }],
      ['HTML with an invoice of 100 KB', { attachments: [file] }],
    ] as const) {
      const body = `<p>${'Děkujeme za objednávku. '.repeat(bodySize / 25)}</p>`;
      const time: Step = ['time', { count: mails, mail: { order: 7, body, ...more } }];
      // the same request with wp_mail() ended by somebody else: WooCommerce's stand-in and WordPress alone
      await site.reset();
      const [, alone] = (await site.run([['circumstance', 'sent-already'], time])) as [unknown, number[]];
      await site.reset();
      const [queued] = (await site.run([time])) as [number[]];
      const rows = (await site.rows()).length;
      if (rows !== mails) throw new Error(`${rows} of ${mails} were queued`);
      const cell = (times: (of: readonly number[]) => number) => (times(queued) - times(alone)).toFixed(2);
      console.log(
        `| ${what}: what queueing adds | ${cell(median)} | ${cell(mean)} | ${(mean(queued) * mails).toFixed(0)} ms in all |`,
      );
    }
  } finally {
    await site.close();
  }
}
