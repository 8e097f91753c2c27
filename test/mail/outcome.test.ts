import { describe, expect, it } from 'vitest';
import type { Conversation, Phase } from '../../src-main/mail/conversation.ts';
import { readOutcome } from '../../src-main/mail/outcome.ts';
import { parseReply } from '../../src-main/mail/reply.ts';
import { serverIdOf } from '../../src-main/mail/server-id.ts';

/** How a single mail to one recipient ends when the server answers `raw` at `phase`. */
function after(phase: Phase, raw: string) {
  const reply = parseReply(raw);
  if (!reply) throw new Error(`no reply: ${raw}`);
  const refused = phase === 'rcpt' ? [{ address: 'b@x.test', reply }] : [];
  return readOutcome({ ...nothing, phase, reply, refused });
}
const nothing: Conversation = {
  phase: 'connect',
  reply: null,
  accepted: [],
  refused: [],
  fault: null,
  guardRefused: false,
  serverId: null,
  tookMs: 1,
};

const meanings = {
  rejected: { kind: 'rejected', lane: 'goes-on' },
  deferred: { kind: 'deferred', lane: 'goes-on' },
  slow: { kind: 'none', lane: 'slow-down' },
  pause: { kind: 'none', lane: 'pause' },
} as const;
type Meaning = keyof typeof meanings;

const table: [Meaning, Phase, string][] = [
  // recipient unknown, in the words of many servers
  [
    'rejected',
    'rcpt',
    '550 5.1.1 <b@x.test>: Recipient address rejected: User unknown in local recipient table',
  ],
  [
    'rejected',
    'rcpt',
    "550-5.1.1 The email account that you tried to reach does not exist. Please try\r\n550-5.1.1 double-checking the recipient's email address for typos or\r\n550 5.1.1 unnecessary spaces. https://support.google.com/mail/?p=NoSuchUser x1si - gsmtp",
  ],
  ['rejected', 'rcpt', '550 No such user here'],
  ['rejected', 'rcpt', '550 Unrouteable address'],
  [
    'rejected',
    'rcpt',
    '550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup',
  ],
  ['rejected', 'rcpt', '550 5.4.1 Recipient address rejected: Access denied. AS(201806281)'],
  ['rejected', 'rcpt', '551 5.1.6 User has moved, please try elsewhere'],
  ['rejected', 'rcpt', '553 5.1.3 Invalid address syntax'],
  ['rejected', 'rcpt', '550 5.1.2 Bad destination host'],
  [
    'rejected',
    'rcpt',
    "554 delivery error: dd This user doesn't have a yahoo.com account (b@yahoo.com) [0] - mta1",
  ],
  ['rejected', 'rcpt', '550 5.2.1 The email account that you tried to reach is disabled'],
  ['rejected', 'rcpt', '550 Benutzer unbekannt'],
  ['rejected', 'rcpt', '550 Empfänger existiert nicht'],
  ['rejected', 'rcpt', '550 5.1.1 Adresát neexistuje'],
  ['rejected', 'rcpt', '550 Utilisateur inconnu'],
  ['rejected', 'rcpt', '550 Usuario desconocido'],
  ['rejected', 'rcpt', '550 Destinatario sconosciuto'],
  ['rejected', 'rcpt', '550 Użytkownik nie istnieje'],
  ['rejected', 'dot', '550 5.1.1 user unknown'],
  // mailbox full: this recipient's, never ours
  ['rejected', 'rcpt', '552 5.2.2 Mailbox full'],
  ['rejected', 'rcpt', '552 5.2.2 The email account that you tried to reach is over quota'],
  [
    'deferred',
    'rcpt',
    '452 4.2.2 The email account that you tried to reach is over quota. Please direct the recipient to https://support.google.com/',
  ],
  ['deferred', 'rcpt', '452 4.2.2 Mailbox full'],
  ['deferred', 'rcpt', '422 4.2.2 Recipient mailbox is over quota'],
  ['deferred', 'rcpt', '452 4.2.2 <b@x.test>: user is over quota'],
  ['deferred', 'rcpt', '452 Postfach voll'],
  ['deferred', 'rcpt', '452 4.2.2 Schránka je plná'],
  ['deferred', 'rcpt', '452 4.2.2 Boîte pleine'],
  ['deferred', 'rcpt', '550 4.2.2 Mailbox full'],
  ['deferred', 'dot', '452 4.3.1 Insufficient system storage'],
  [
    'deferred',
    'rcpt',
    '450 4.2.1 The user you are trying to contact is receiving mail at a rate that prevents additional messages from being delivered',
  ],
  ['deferred', 'rcpt', '452 4.5.3 Too many recipients'],
  // mismatched pairs: a temporary word on either side keeps it open
  ['deferred', 'rcpt', '450 5.1.1 User unknown'],
  ['deferred', 'rcpt', '550 4.1.1 User unknown'],
  ['deferred', 'rcpt', '450 4.1.1 <b@x.test>: Recipient address rejected: unverified address'],
  // greylisting
  [
    'deferred',
    'rcpt',
    '450 4.7.1 <b@x.test>: Recipient address rejected: Greylisted, see http://postgrey.schweikert.ch/help/x.html',
  ],
  [
    'deferred',
    'rcpt',
    '450 4.2.0 <b@x.test>: Recipient address rejected: Greylisting in effect, please come back later',
  ],
  ['deferred', 'rcpt', '451 4.7.1 Greylisting in action, please come back in 00:05:00'],
  ['deferred', 'rcpt', '451 Temporary local problem - please try again in 300 seconds, greylisted'],
  ['deferred', 'rcpt', '421 4.7.0 Greylisted, please try again in 180 seconds'],
  ['deferred', 'mail', '451 4.7.1 Gray-listed'],
  ['deferred', 'dot', '451 4.7.1 Graylisting: too many messages from an unknown triplet'],
  ['deferred', 'rcpt', '450 Bitte versuchen Sie es erneut (graue Liste)'],
  ['deferred', 'rcpt', '451 4.7.1 Mise en liste grise, réessayez plus tard'],
  ['deferred', 'rcpt', '451 Lista gris: inténtelo más tarde'],
  ['deferred', 'rcpt', '451 Lista grigia, riprovare'],
  ['deferred', 'rcpt', '451 4.7.1 Szara lista, spróbuj później'],
  ['deferred', 'rcpt', '471 4.7.1 Temporarily rejected, please try again'],
  // other temporary refusals of this message
  ['deferred', 'rcpt', '451 4.3.0 Temporary lookup failure'],
  ['deferred', 'dot', '451 4.3.0 Error: queue file write error'],
  ['deferred', 'rcpt', '451 Requested action aborted: local error in processing'],
  ['deferred', 'data', '451 4.3.0 try later'],
  // other 5xx: tried again until the attempts are used up
  ['deferred', 'dot', '554 5.7.1 Message rejected as spam'],
  [
    'deferred',
    'dot',
    '550 5.7.1 This message was blocked because its content presents a potential security issue',
  ],
  ['deferred', 'rcpt', '550 5.7.1 Service unavailable; client [192.0.2.1] blocked using zen.spamhaus.org'],
  ['deferred', 'rcpt', '554 5.7.1 Rejected by policy'],
  ['deferred', 'rcpt', '550 Requested action not taken'],
  ['deferred', 'data', '503 5.5.1 Bad sequence of commands'],
  ['deferred', 'dot', '554 Transaction failed'],
  ['deferred', 'dot', '554 5.0.0 Error'],
  [
    'deferred',
    'dot',
    '550 5.7.26 Unauthenticated email from x.test is not accepted due to domain DMARC policy',
  ],
  // of this message, for good
  ['rejected', 'dot', '554 5.6.0 Message contains invalid header'],
  ['rejected', 'dot', '550 5.6.3 conversion required'],
  ['rejected', 'dot', '552 5.3.4 Message size exceeds fixed maximum message size'],
  ['rejected', 'mail', '552 5.3.4 Message size exceeds fixed limit'],
  ['rejected', 'dot', '552 Message too large'],
  ['rejected', 'dot', '552 5.2.3 Nachricht zu groß'],
  // throttling
  ['slow', 'mail', '421 4.7.0 Too many messages, slow down'],
  ['slow', 'rcpt', '421 Too many concurrent SMTP connections'],
  [
    'slow',
    'mail',
    '421 4.7.28 Our system has detected an unusual rate of unsolicited mail originating from your IP',
  ],
  ['slow', 'rcpt', '450 4.7.28 rate'],
  ['slow', 'mail', '432 4.3.2 STOREDRV.ClientSubmit; sender thread limit exceeded'],
  ['slow', 'rcpt', '451 4.3.2 Please try again later'],
  ['slow', 'rcpt', '450 4.7.1 Error: too many mails from 192.0.2.1'],
  ['slow', 'dot', '452 4.3.1 You have exceeded the sending quota'],
  ['slow', 'rcpt', '452 4.5.3 Your message has too many recipients within the last hour'],
  ['slow', 'mail', '451 4.7.1 Quota of sending exceeded for this hour'],
  [
    'slow',
    'dot',
    '550 5.4.5 Daily user sending limit exceeded. For more information on Gmail sending limits go to https://support.google.com',
  ],
  ['slow', 'rcpt', '550 5.7.1 Hourly message limit of 300 reached'],
  ['slow', 'mail', '554 5.7.1 Rate limit exceeded'],
  ['slow', 'dot', '554 Sending limits for this account were exceeded: maximum of 500 messages per day'],
  ['slow', 'login', '454 4.7.0 Too many login attempts, please try again later'],
  ['slow', 'connect', '421 4.7.0 Too many connections from your IP'],
  ['slow', 'dot', '421 4.3.0 Temporary System Problem. Try again later'],
  ['slow', 'mail', '454 Throttling failure: Maximum sending rate exceeded.'],
  ['slow', 'mail', '450 Sie haben Ihr Versandlimit überschritten'],
  ['slow', 'rcpt', '450 Zu viele E-Mails in kurzer Zeit'],
  ['slow', 'mail', '451 Překročen limit odeslaných zpráv'],
  ['slow', 'mail', '451 Příliš mnoho zpráv'],
  ['slow', 'rcpt', '450 Trop de messages envoyés'],
  ['slow', 'mail', "450 4.7.1 Limite d'envoi atteinte"],
  ['slow', 'mail', '451 Demasiados mensajes por hora'],
  ['slow', 'mail', '451 Ha superado el límite de envío'],
  ['slow', 'mail', '450 Você excedeu o limite de envio'],
  ['slow', 'mail', '450 Troppi messaggi inviati'],
  ['slow', 'mail', '450 Limite di invio orario superato'],
  ['slow', 'mail', '451 Przekroczono limit wysłanych wiadomości'],
  ['slow', 'rcpt', '451 Zbyt wiele wiadomości'],
  // our account, our address, our login
  ['pause', 'mail', '530 5.7.0 Authentication required'],
  ['pause', 'mail', '530 5.7.0 Must issue a STARTTLS command first'],
  ['pause', 'login', '535 5.7.8 Error: authentication failed: authentication failure'],
  [
    'pause',
    'login',
    '535-5.7.8 Username and Password not accepted. Learn more at\r\n535 5.7.8  https://support.google.com/mail/?p=BadCredentials',
  ],
  ['pause', 'login', '454 4.7.0 Temporary authentication failure: Connection lost to authentication server'],
  ['pause', 'login', '534 5.7.9 Application-specific password required'],
  ['pause', 'rcpt', '554 5.7.1 <b@x.test>: Relay access denied'],
  ['pause', 'rcpt', '550 relay not permitted'],
  ['pause', 'rcpt', '550 5.7.1 Unable to relay'],
  ['pause', 'rcpt', '454 4.7.1 Relay access denied'],
  ['pause', 'rcpt', "553 sorry, that domain isn't in my list of allowed rcpthosts (#5.7.1)"],
  ['pause', 'rcpt', '553 5.7.1 <shop@shop.test>: Sender address rejected: not owned by user other@shop.test'],
  ['pause', 'rcpt', '450 4.1.8 <shop@shop.test>: Sender address rejected: Domain not found'],
  ['pause', 'mail', '550 5.1.8 Bad sender address'],
  ['pause', 'mail', "501 5.1.7 Bad sender's mailbox address syntax"],
  ['pause', 'dot', '550 5.7.60 SMTP; Client does not have permissions to send as this sender'],
  ['pause', 'dot', '554 5.2.252 SendAsDenied; shop@shop.test not allowed to send as other@shop.test'],
  ['pause', 'mail', '550 Access denied - Invalid HELO name'],
  ['pause', 'mail', '451 4.3.0 Temporary lookup failure'],
  [
    'pause',
    'dot',
    '554 Message rejected: Email address is not verified. The following identities failed the check',
  ],
  ['pause', 'connect', '554 5.7.1 You are not allowed to connect'],
  ['pause', 'connect', '421 4.3.2 Service not available, closing transmission channel'],
  ['pause', 'connect', '454 4.7.0 TLS not available due to local problem'],
  ['pause', 'connect', '450 4.7.1 Client host rejected: cannot find your hostname'],
];

describe('an answer', () => {
  it('table is long enough', () => expect(table.length).toBeGreaterThan(100));

  it.each(table)('%s: at %s, %j', (meaning, phase, raw) => {
    const outcome = after(phase, raw);
    expect({ kind: outcome.kind, lane: outcome.lane }).toEqual(meanings[meaning]);
    expect(outcome.reached).toBe(phase !== 'connect' && phase !== 'login');
    expect(outcome.reason).toContain(raw.slice(0, 3));
    expect(outcome.reason).not.toMatch(/[\r\n]/);
  });
});

describe('no answer', () => {
  const faults: [string, Phase, string, object][] = [
    ['EPIPE', 'mail', '', meanings.pause],
    ['ECONNRESET', 'rcpt', '', meanings.pause],
    ['ECONNRESET', 'data', '', meanings.pause],
    ['ETIMEDOUT', 'connect', 'did not answer in time', meanings.pause],
    ['EAI_AGAIN', 'connect', 'cannot be looked up now', meanings.pause],
    ['ENOTFOUND', 'connect', 'name is not known', meanings.pause],
    ['ECONNREFUSED', 'connect', 'nobody listens', meanings.pause],
    ['CERT_HAS_EXPIRED', 'connect', 'expired', meanings.pause],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'connect', 'self-signed', meanings.pause],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'connect', 'another host name', meanings.pause],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'connect', 'unknown authority', meanings.pause],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'connect', 'encrypted connection', meanings.pause],
    ['ENOAUTH', 'login', 'offers no login', meanings.pause],
    ['EWHATEVER', 'connect', 'EWHATEVER', meanings.pause],
    ['ECONNRESET', 'body', 'middle of the mail', { kind: 'none', lane: 'goes-on', lostInBody: true }],
    ['EPIPE', 'dot', 'no answer came', { kind: 'in-doubt', lane: 'goes-on' }],
    ['ECONNRESET', 'dot', 'no answer came', { kind: 'in-doubt', lane: 'goes-on' }],
    ['ETIMEDOUT', 'dot', 'no answer came', { kind: 'in-doubt', lane: 'goes-on' }],
    ['EDROPPED', 'dot', 'no answer came', { kind: 'in-doubt', lane: 'goes-on' }],
    ['EDROPPED', 'body', '', { kind: 'none', lane: 'goes-on', lostInBody: false }],
    ['ESTOPPED', 'rcpt', '', { kind: 'none', lane: 'goes-on' }],
    ['EATTACHMENT', 'connect', 'technical words', { kind: 'rejected', lane: 'goes-on', reached: false }],
    ['EATTACHMENT', 'body', 'technical words', { kind: 'rejected', lane: 'goes-on', reached: true }],
    ['EFILES', 'body', 'technical words', meanings.pause],
    ['ETOOBIG', 'connect', 'too large', { kind: 'rejected', lane: 'goes-on', reached: false }],
  ];
  it.each(faults)('%s at %s', (code, phase, words, meaning) => {
    const outcome = readOutcome({ ...nothing, phase, fault: { code, message: 'technical words' } });
    expect(outcome).toMatchObject(meaning);
    expect(outcome.reason).toContain(words);
    expect(outcome.reason).not.toBe('');
  });

  it('a refused guard counts against nothing', () => {
    expect(readOutcome({ ...nothing, phase: 'body', guardRefused: true })).toMatchObject({
      kind: 'none',
      lane: 'goes-on',
      reached: true,
      lostInBody: false,
    });
  });
});

describe('several recipients', () => {
  const refusal = (address: string, raw: string) => ({
    address,
    reply: parseReply(raw) as NonNullable<ReturnType<typeof parseReply>>,
  });
  const gone = refusal('gone@x.test', '550 5.1.1 unknown user');
  const full = refusal('full@x.test', '452 4.2.2 mailbox full');
  const fast = refusal('fast@x.test', '450 4.7.1 too many messages');
  const relay = refusal('relay@x.test', '554 5.7.1 Relay access denied');
  const ok = parseReply('250 2.0.0 Ok');

  it('some taken: sent, the rest sorted and named', () => {
    const outcome = readOutcome({
      ...nothing,
      phase: 'done',
      reply: ok,
      accepted: ['a@x.test'],
      refused: [gone, full],
    });
    expect(outcome).toMatchObject({
      kind: 'sent',
      lane: 'goes-on',
      accepted: ['a@x.test'],
      refusedForGood: [gone],
      refusedForNow: [full],
    });
    expect(outcome.reason).toBe(
      'refused for good: gone@x.test (550 5.1.1 unknown user); refused for now: full@x.test (452 4.2.2 mailbox full)',
    );
    expect(
      readOutcome({ ...nothing, phase: 'done', reply: ok, accepted: ['a@x.test'], refused: [fast] }),
    ).toMatchObject({ kind: 'sent', lane: 'slow-down', refusedForNow: [fast] });
  });

  it('none taken: for good only when all are', () => {
    const none = (refused: (typeof gone)[]) =>
      readOutcome({ ...nothing, phase: 'rcpt', reply: refused[0]?.reply ?? null, refused });
    expect(none([gone, gone])).toMatchObject(meanings.rejected);
    expect(none([gone, full])).toMatchObject({
      ...meanings.deferred,
      refusedForGood: [gone],
      refusedForNow: [full],
    });
    expect(none([gone, fast])).toMatchObject(meanings.slow);
    expect(none([gone, relay])).toMatchObject(meanings.pause);
  });

  it('some taken at first, the mail refused at the dot', () => {
    expect(
      readOutcome({ ...nothing, phase: 'dot', reply: parseReply('451 4.3.0 later'), refused: [gone] }),
    ).toMatchObject({ ...meanings.deferred, accepted: [], refusedForGood: [gone] });
  });

  it('a reason of thousands of recipients stays short', () => {
    expect(
      readOutcome({ ...nothing, phase: 'rcpt', reply: gone.reply, refused: Array(500).fill(gone) }).reason
        .length,
    ).toBeLessThanOrEqual(1000);
  });
});

describe('replies', () => {
  it.each([
    ['550 5.1.1 no', { code: 550, enhanced: '5.1.1', text: 'no' }],
    ['550', { code: 550, enhanced: null, text: '' }],
    ['550-5.7.1 one\r\n550 5.7.1 two', { code: 550, enhanced: '5.7.1', text: 'one two' }],
    ['553 sorry (#5.7.1)', { code: 553, enhanced: '5.7.1', text: 'sorry (#5.7.1)' }],
    ['250 2.0.0 Ok\u0000\u001b[31m', { code: 250, enhanced: '2.0.0', text: 'Ok [31m' }],
    [
      '450 client [192.168.4.1.2] 10.4.7.2',
      { code: 450, enhanced: null, text: 'client [192.168.4.1.2] 10.4.7.2' },
    ],
  ])('%j', (raw, reply) => expect(parseReply(raw)).toEqual(reply));

  it('no code, no reply; long ones are cut; secrets are hidden', () => {
    expect(parseReply('hello')).toBeNull();
    expect(parseReply(`550 ${'x'.repeat(5000)}`)?.text).toHaveLength(1000);
    expect(parseReply('535 wrong password hunter2', ['hunter2'])?.text).toBe('wrong password ***');
  });

  it.each([
    ['Ok: queued as 4F2A81C0123', '4F2A81C0123'],
    ['Ok: queued as 4bXyZ12345z9qXc', '4bXyZ12345z9qXc'],
    ['OK id=1rAbCd-0001Xy-2Z', '1rAbCd-0001Xy-2Z'],
    ['u7K9Xyz012345 Message accepted for delivery', 'u7K9Xyz012345'],
    [
      '<abc123@DB9PR01MB1234.eurprd01.prod.exchangelabs.com> [InternalId=12345678901234, Hostname=DB9.x] 8123 bytes in 0.1, 55 KB/sec Queued mail for delivery',
      '12345678901234',
    ],
    ['<abc123@x.test> Queued mail for delivery', 'abc123@x.test'],
    ['OK  1700000000 4fb4d7f45d1cf-56a0 - gsmtp', '1700000000 4fb4d7f45d1cf-56a0'],
    [
      'Ok 0102018b5c3c0a4f-1f6c9e2a-3b4d-4c5e-8f90-a1b2c3d4e5f6-000000',
      '0102018b5c3c0a4f-1f6c9e2a-3b4d-4c5e-8f90-a1b2c3d4e5f6-000000',
    ],
    ['ok 1700000000 qp 12345', '12345'],
    ['Requested mail action okay, completed: id=1MNKhm-1q2Pxy0abc-00OqLD', '1MNKhm-1q2Pxy0abc-00OqLD'],
    ['6a3f09d1 Message accepted for delivery', '6a3f09d1'],
    ['Ok: queued as abcDEF123_45-xyz', 'abcDEF123_45-xyz'],
    ['Great success', null],
    ['Message queued', null],
    ['OK', null],
  ])('server id of %j', (text, id) => expect(serverIdOf(text)).toBe(id));
});
