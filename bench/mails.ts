/** The mails that every contestant sends: small HTML, as a shop's order mail without its styles (about 0.5 KB). */
const body = 'Thank you for your order. It was packed today and is on its way to you now. '.repeat(4);

export interface BenchMail {
  to: string;
  subject: string;
  html: string;
}

export function benchMails(count: number): BenchMail[] {
  return Array.from({ length: count }, (_, n) => ({
    to: `user${String(n).padStart(6, '0')}@example.test`,
    subject: `Order ${100_000 + n} is on its way`,
    html: `<p>Hello user ${n},</p><p>${body}</p><p><a href="https://shop.example.test/o/${100_000 + n}">See order</a></p>`,
  }));
}
