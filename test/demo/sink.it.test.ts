import nodemailer from 'nodemailer';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MailSink } from '../../src-main/demo/sink.ts';
import { WindowMeter } from '../../src-main/demo/window-meter.ts';

let sink: MailSink;
beforeEach(async () => {
  sink = await MailSink.open();
});
afterEach(() => sink.close());

const send = (to: string, messageId?: string) =>
  nodemailer
    .createTransport({ host: '127.0.0.1', port: sink.port, secure: false, ignoreTLS: true })
    .sendMail({
      from: 'shop@demo.example',
      to,
      subject: 'Vaše objednávka č. 7 — 山田',
      text: 'x',
      ...(messageId ? { messageId } : {}),
    });

describe("the demo's mail server", () => {
  it('takes mail and shows what arrived', async () => {
    const heard: string[] = [];
    sink.onArrival((mail) => heard.push(mail.to.join()));
    const { response } = await send('anna@customer.example');
    expect(response).toMatch(/^250 2\.0\.0 /);
    const [mail] = sink.inbox(10);
    expect(mail).toMatchObject({
      from: 'shop@demo.example',
      to: ['anna@customer.example'],
      subject: 'Vaše objednávka č. 7 — 山田',
    });
    expect(mail?.messageId).toMatch(/^<.+@.+>$/);
    expect(heard).toEqual(['anna@customer.example']);
    expect(sink.proof()).toMatchObject({ arrived: 1, duplicates: 0, mostIn60s: 1, refusedForGood: 0 });
  });

  it.each([
    ['x@unknown.example', 550, '5.1.1'],
    ['x@full.example', 552, '5.2.2'],
    ['x@greylist.example', 451, '4.7.1'],
  ])('answers %s with %d %s', async (to, code, enhanced) => {
    const error = await send(to).then(
      () => null,
      (thrown: unknown) => thrown as { responseCode: number; response: string },
    );
    expect(error?.responseCode).toBe(code);
    expect(error?.response).toContain(enhanced);
    expect(sink.inbox(10)).toEqual([]);
  });

  it('takes a greylisted mail the second time', async () => {
    await expect(send('x@greylist.example')).rejects.toThrow();
    await send('x@greylist.example');
    expect(sink.proof().arrived).toBe(1);
  });

  it('is slow for one domain', async () => {
    const began = performance.now();
    await send('x@slow.example');
    expect(performance.now() - began).toBeGreaterThan(2_900);
  });

  it('notices a second copy', async () => {
    await send('a@customer.example', '<one@demo.example>');
    await send('a@customer.example', '<one@demo.example>');
    expect(sink.proof()).toMatchObject({ arrived: 2, duplicates: 1 });
  });
});

describe('the meter', () => {
  it('finds the fullest window and the closest two', () => {
    const meter = new WindowMeter(60_000);
    for (const at of [0, 1000, 60_000, 60_500, 61_000]) meter.add(at);
    // [1000, 60_500] holds three, (1000, 61_000] too: the window is half open
    expect(meter).toMatchObject({ most: 3, closest: 500 });
  });
});
