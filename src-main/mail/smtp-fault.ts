/** Why a connection to the mail server ended. */

/** A fault of the connection, or an answer that ended what was asked; without secrets. */
export class SmtpFault extends Error {
  /** Node's or nodemailer's code: ECONNREFUSED, CERT_HAS_EXPIRED, EAUTH, EENVELOPE, ... */
  readonly code: string;
  /** the answer, raw, where there was one */
  readonly response: string | null;
  /** the command that was answered, as nodemailer names it: CONN, EHLO, AUTH PLAIN, MAIL FROM, RCPT TO, DATA */
  readonly command: string;

  constructor(code: string, message: string, response: string | null, command: string) {
    super(message);
    this.code = code;
    this.response = response;
    this.command = command;
  }
}

/** No answer within the time that a step may take. */
export function tooSlow(): SmtpFault {
  return new SmtpFault('ETIMEDOUT', 'the mail server did not answer in time', null, 'CONN');
}
