/** A test mail that is called off: taken out while it waits, and never deleted once it may arrive. */
import { afterEach, expect, it } from 'vitest';
import { sendTestMail } from '../../src-main/engine/test-mail.ts';
import { makeShop, type TestShop } from '../support/shop.ts';

let shop: TestShop | null = null;
afterEach(async () => {
  await shop?.close();
  shop = null;
});

it('that waits is taken out of the queue again', async () => {
  shop = await makeShop({});
  const { desk } = await shop.open();
  const stop = new AbortController();
  const sent = sendTestMail(desk, 'me@shop.example', 'Studio U', {
    signal: stop.signal,
    onProgress: () => stop.abort(),
  });
  await expect(sent).rejects.toMatchObject({
    code: 'stopped',
    message: 'The test mail was taken out of the queue again.',
  });
  expect(await shop.rows()).toEqual([]);
});

it('that is being sent is left alone, and that is said', async () => {
  shop = await makeShop({});
  shop.smtp.behaviour = ({ step }) => (step === 'dot' ? { delayMs: 3000 } : undefined);
  const opened = await shop.open();
  await opened.startDraining();
  const stop = new AbortController();
  const sent = sendTestMail(opened.desk, 'me@shop.example', 'Studio U', {
    signal: stop.signal,
    onProgress: (words) => {
      if (words === 'It is being sent.') stop.abort();
    },
  });
  await expect(sent).rejects.toMatchObject({
    code: 'stopped',
    message: expect.stringContaining('may arrive'),
  });
  await opened.untilEmpty(AbortSignal.timeout(20_000));
  expect(await shop.rows("state = 'sent'")).toHaveLength(1);
  expect(shop.smtp.mails).toHaveLength(1);
});
