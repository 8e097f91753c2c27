/** The mail server's own id of an accepted mail, out of its answer to the dot (FINDINGS 8). Pure. */

const id = '([A-Za-z0-9][A-Za-z0-9._@+=-]{1,199})';

/** First match wins. Each with the server that answers like this. */
const patterns: readonly RegExp[] = [
  new RegExp(`queued as ${id}`, 'i'), // Postfix, Haraka, smtp.mailbox providers
  new RegExp(`\\bid=${id}`, 'i'), // Exim
  new RegExp(`^${id} Message accepted for delivery`, 'i'), // Sendmail
  new RegExp(`queued mail for delivery.*?\\bInternalId=${id}`, 'i'), // Exchange, named last below when it has only <...>
  /\[InternalId=(\d+)/i, // Exchange Online
  /<([^<>\s]{3,250})>\s*(?:\[[^\]]*\]\s*)?Queued mail for delivery/i, // Exchange
  /OK\s+(?:id=)?(\d{9,11}\s+[0-9a-z-]+(?:\.\d+)?)\s+-\s+gsmtp/i, // Gmail: OK <time> <id> - gsmtp
  /\bOk:? ([0-9a-f]{12,20}-[0-9a-f-]{20,60}-\d{6})\b/i, // Amazon SES
  /\bqp (\d{2,})\b/i, // qmail: ok 1700000000 qp 12345
  new RegExp(`Message (?:queued|accepted).*?\\b(?:as|id:?) ?<?${id}`, 'i'), // OpenSMTPD, MailEnable
  /^([0-9a-f]{8,16}) Message accepted/i, // OpenSMTPD
  new RegExp(`^(?:Requested mail action okay, completed: id=)${id}`, 'i'), // GMX, IONOS
  new RegExp(`^Ok:? (?:queued )?(?:as |id[:= ])?<?${id}>?$`, 'i'), // SendGrid, Mailgun and others: Ok <id>
];

/** @param text the 2xx answer's text without its codes */
export function serverIdOf(text: string): string | null {
  for (const pattern of patterns) {
    const found = pattern.exec(text)?.[1];
    // a bare word such as "OK completed" is no id: ids hold a digit
    if (found !== undefined && /\d/.test(found)) return found.replace(/[.,;]+$/, '').slice(0, 255);
  }
  return null;
}
