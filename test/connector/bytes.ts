/** What two mails have to have in common: everything but Date, Message-ID, X-Mailer and the names of boundaries. */

/** The lines that a mail server adds on top, and the four that differ from one mail to the next. */
const differing = /^(?:Date|Message-ID|X-Mailer|Received|Return-Path):/i;

/**
 * Bytes of a mail in a form to be compared: one character a byte. PHPMailer before 6.9 (WordPress before 6.5, older than the
 * connector asks for) says in words that a message has parts: that line is left out.
 */
export function comparable(raw: Uint8Array): string {
  const text = Buffer.from(raw).toString('latin1');
  const end = text.indexOf('\r\n\r\n');
  const head = text
    .slice(0, end)
    .split(/\r\n(?![ \t])/)
    .filter((line) => !differing.test(line))
    .join('\r\n');
  let whole =
    head + text.slice(end).replace('\r\n\r\nThis is a multi-part message in MIME format.\r\n', '\r\n');
  for (const level of ['b1', 'b2', 'b3']) {
    const boundary = new RegExp(`boundary="(${level}=?_[^"]+)"`).exec(whole)?.[1];
    if (boundary) whole = whole.replaceAll(boundary, level);
  }
  return whole;
}
