/** A jobs payload: what is a mail, what is a broken one, and what is not ours. */
import { describe, expect, it } from 'vitest';
import { readJob, writeJob } from '../../../src-main/queue/shapes/jobs-payload.ts';

const base = { to: 'a@example.test', subject: 'Hello', text: 'text' };
const read = (job: unknown) => readJob(typeof job === 'string' ? job : JSON.stringify(job));
const refused = (job: unknown) => {
  const reading = read(job);
  return !reading.ok && 'reason' in reading ? reading.reason : `not refused: ${JSON.stringify(reading)}`;
};
const foreign = (job: unknown) => {
  const reading = read(job);
  return !reading.ok && 'foreign' in reading ? reading.foreign : `not foreign: ${JSON.stringify(reading)}`;
};
const taken = (job: unknown) => {
  const reading = read(job);
  return reading.ok ? (JSON.parse(reading.payload) as Record<string, unknown>) : reading;
};

describe('readJob', () => {
  it('takes text, HTML, and both', () => {
    expect(taken(base)).toEqual({
      to: 'a@example.test',
      subject: 'Hello',
      message: 'text',
      content_type: 'text/plain',
      headers: [],
      attachments: [],
    });
    expect(taken({ to: ['a@x', 'b@x'], subject: '', html: '<p>' })).toMatchObject({
      message: '<p>',
      content_type: 'text/html',
    });
    expect(taken({ ...base, html: '<p>' })).toMatchObject({
      message: '<p>',
      content_type: 'text/html',
      alt: 'text',
    });
    expect(taken({ ...base, cc: null, headers: null })).toMatchObject({ headers: [] });
  });

  it('makes headers of what has a header', () => {
    const full = {
      ...base,
      from: 'Shop <s@x>',
      replyTo: 'r@x',
      cc: ['c@x', 'd@x'],
      bcc: 'e@x',
      headers: { 'X-A': '1' },
    };
    expect(taken(full)).toMatchObject({
      from: 'Shop <s@x>',
      headers: ['Reply-To: r@x', 'Cc: c@x', 'Cc: d@x', 'Bcc: e@x', 'X-A: 1'],
    });
    expect(taken({ ...base, headers: ['X-A: 1', 'X-B: 2'] })).toMatchObject({
      headers: ['X-A: 1', 'X-B: 2'],
    });
    const file = { name: 'a.pdf', file: 'x/a.pdf', size: 3, sha256: 'a'.repeat(64) };
    expect(taken({ ...base, attachments: ['x/b.pdf', file] })).toMatchObject({
      attachments: ['x/b.pdf', file],
    });
  });

  it('says in words what is wrong with a mail', () => {
    expect(refused({ to: 'a@x', subject: 'x' })).toBe('payload refused: neither text nor html is there');
    expect(refused({ to: 'a@x', html: 'x' })).toBe('payload refused: subject is missing');
    expect(refused({ subject: 'x', html: 'x' })).toBe('payload refused: to is missing');
    expect(refused({ ...base, text: 5 })).toBe('payload refused: text must be text');
    expect(refused({ ...base, subject: ['x'] })).toBe('payload refused: subject must be text');
    expect(refused({ ...base, to: { email: 'a@x' } })).toContain('to must be an address or a list');
    expect(refused({ ...base, to: [] })).toContain('payload refused: to ');
    expect(refused({ ...base, from: ' ' })).toBe('payload refused: from is empty');
    expect(refused({ ...base, body: 'x' })).toBe(
      'payload refused: "body" is not known (known are to, subject, text, html, from, replyTo, cc, bcc, headers, attachments)',
    );
    expect(refused({ ...base, attachments: [{ name: 'x' }] })).toContain('attachments must be paths');
    expect(refused('{"to":"a@x","subject":"cut o')).toBe('corrupt payload: not JSON');
    expect(refused(`{"to":"a@x","subject":"x","text":"x","__proto__":{"cc":"y@x"}}`)).toContain(
      'is not known',
    );
  });

  it('refuses a line break or NUL in anything that becomes a header', () => {
    for (const bad of ['x\r\nBcc: y@x', 'x\ny', 'x\ry', 'x\0y'])
      for (const job of [
        { ...base, subject: bad },
        { ...base, to: bad },
        { ...base, to: ['a@x', bad] },
        { ...base, from: bad },
        { ...base, replyTo: bad },
        { ...base, cc: [bad] },
        { ...base, bcc: bad },
        { ...base, headers: { 'X-A': bad } },
        { ...base, headers: { [bad]: 'x' } },
        { ...base, headers: [`X-A: ${bad}`] },
        { ...base, attachments: [bad] },
        { ...base, attachments: [{ name: bad, file: 'x' }] },
      ])
        expect(refused(job), JSON.stringify(job)).toMatch(/^payload refused: /);
    expect(refused({ ...base, subject: 'a\nb' })).toContain('must not have a line break or a NUL');
    for (const name of ['To', 'bcc', 'Reply-To', 'no colon:', ''])
      expect(refused({ ...base, headers: { [name]: 'x' } }), name).toContain('headers must be a list');
    expect(refused({ ...base, headers: ['BCC : x@x', 'Bcc: x@x'] })).toContain('headers');
  });

  it('leaves alone what is no mail, and tells its name', () => {
    const envelope = {
      uuid: 'x',
      displayName: 'App\\Jobs\\Resize',
      job: 'Call@handle',
      data: { to: 'a', subject: 'b' },
    };
    expect(foreign(envelope)).toBe('App\\Jobs\\Resize');
    expect(foreign({ ...envelope, ...base })).toBe('App\\Jobs\\Resize');
    expect(foreign({ to: '+420603', text: 'a code' })).toBe('an object of to, text');
    expect(foreign({ type: 'report', month: 5 })).toBe('report');
    expect(foreign('O:8:"stdClass":1:{s:2:"to";}')).toContain('not JSON: O:8');
    expect(foreign('')).toBe('not JSON: nothing');
    for (const other of ['null', '5', '"to"', '[{"to":"a","subject":"b"}]'])
      expect(foreign(other)).toContain('no object');
    expect(foreign({})).toBe('an object of nothing');
  });
});

describe('writeJob', () => {
  const write = (more: object) =>
    JSON.parse(writeJob({ to: 'a@x', subject: 's', message: 'm', ...more })) as object;

  it('gives headers their keys, and lets none be made of a value', () => {
    expect(
      write({
        subject: 'two\r\nBcc: lines',
        headers: ['From: Shop <s@x>', 'BCC: b@x', 'X-Long: 1\r\n 2', 'Subject: no', 'broken', 'X-E:'],
      }),
    ).toEqual({
      to: 'a@x',
      subject: 'two Bcc: lines',
      text: 'm',
      from: 'Shop <s@x>',
      bcc: ['b@x'],
      headers: { 'X-Long': '1 2' },
    });
    expect(write({ attachments: [{ name: 'n', file: 'f', size: 1, more: true }] })).toMatchObject({
      attachments: [{ name: 'n', file: 'f', size: 1 }],
    });
  });

  it('writes nothing that would be refused', () => {
    for (const more of [
      { headers: 'Content-Type: text/html' },
      { alt: 'x', headers: 'Content-Type: multipart/alternative; boundary=x' },
      { headers: '__proto__: x\r\nX-A: 1' },
      { subject: 'a\0b' },
    ])
      expect(taken(JSON.stringify(write(more)))).toMatchObject({ message: 'm' });
  });
});
