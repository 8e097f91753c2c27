/** Orders of the demo shop, each a mail into the queue. The same number always makes the same order. */
import type { MailToEnqueue } from '../contract/desk.ts';
import { type Customer, customers, type Goods, goods, type Phrases, phrases } from './people.ts';
import { sinkDomains } from './sink.ts';

/** number of the demo shop's first order */
export const firstOrder = 10_001;

export interface Order {
  number: number;
  customer: Customer;
  address: string;
  items: { goods: Goods; pieces: number }[];
  /** EUR cents */
  total: number;
  words: Phrases;
  /** an invoice goes with it */
  invoice: boolean;
}

/** The order with a number; its place in the row decides who ordered and what. */
export function makeOrder(number: number): Order {
  const at = Math.max(0, number - firstOrder);
  const customer = pick(customers, at);
  const items = Array.from({ length: 1 + (at % 3) }, (_, index) => ({
    goods: pick(goods, at * 3 + index * 5),
    pieces: 1 + ((at + index) % 2),
  }));
  return {
    number,
    customer,
    address: `${customer.mailbox}@${domainOf(at)}`,
    items,
    total: items.reduce((sum, item) => sum + item.goods.price * item.pieces, 0),
    words: phrases[customer.language],
    invoice: at % 3 === 0,
  };
}

/** One in twelve has an unknown mailbox, one in twenty-four a full one; one server is slow, one greylists. */
function domainOf(at: number): string {
  if (at % 12 === 4) return sinkDomains.unknown;
  if (at % 24 === 9) return sinkDomains.full;
  if (at % 24 === 14) return sinkDomains.greylist;
  if (at % 12 === 7) return sinkDomains.slow;
  return pick(['customer.example', 'post.example', 'mail.example'], at);
}

function pick<T>(list: readonly T[], at: number): T {
  return list[at % list.length] as T;
}

/** The row that the shop's plugin would write. @param attachments as the payload has them */
export function mailOf(order: Order, attachments: NonNullable<MailToEnqueue['attachments']>): MailToEnqueue {
  return {
    to: order.address,
    subject: order.words.subject(order.number),
    message: htmlOf(order),
    headers: 'Content-Type: text/html\r\nReply-to: Studio U <shop@demo.example>\r\n',
    attachments,
    context: 'customer_completed_order',
    title: 'Completed order',
    order_id: order.number,
  };
}

const money = (cents: number) => `${(cents / 100).toFixed(2)}&nbsp;€`;
const escaped = (text: string) => text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);

/** A body as shops send them: tables, inline styles, some 3 KB. */
function htmlOf({ number, customer, items, total, words }: Order): string {
  const cell = 'style="padding:12px;border:1px solid #e5e5e5;text-align:left"';
  const rows = items
    .map(
      (item) =>
        `<tr><td ${cell}>${escaped(item.goods.name)}</td><td ${cell}>${item.pieces}</td>` +
        `<td ${cell}>${money(item.goods.price * item.pieces)}</td></tr>`,
    )
    .join('\n');
  return `<!DOCTYPE html>
<html lang="${customer.language}">
<head><meta charset="utf-8"><title>Studio U</title></head>
<body style="background:#f7f7f7;padding:0;margin:0;font-family:'Helvetica Neue',Helvetica,Roboto,Arial,sans-serif">
<table width="100%" cellpadding="0" cellspacing="0"><tr><td align="center" style="padding:40px 12px">
<table width="600" cellpadding="0" cellspacing="0" style="background:#fff;border:1px solid #dedede;border-radius:3px">
<tr><td style="background:#2f5d62;color:#fff;padding:36px 48px">
<h1 style="font-size:28px;font-weight:300;margin:0">${words.title}</h1></td></tr>
<tr><td style="padding:32px 48px;color:#3c3c3c;font-size:14px;line-height:150%">
<p>${escaped(words.hello(customer.name))}</p>
<p>${words.thanks}</p>
<h2 style="color:#2f5d62;font-size:18px">${words.order} #${number}</h2>
<table cellspacing="0" cellpadding="6" style="width:100%;border:1px solid #e5e5e5;border-collapse:collapse">
${rows}
<tr><th ${cell} colspan="2">${words.total}</th><td ${cell}><strong>${money(total)}</strong></td></tr>
</table>
<address style="padding:12px 0;font-style:normal">${escaped(customer.name)}<br>${escaped(customer.street)}<br>${escaped(customer.town)}</address>
</td></tr>
<tr><td align="center" style="padding:24px;color:#8a8a8a;font-size:12px">Studio U &mdash; a demo shop, it sells nothing</td></tr>
</table></td></tr></table>
</body></html>
`;
}
