import { describe, expect, it } from 'vitest';
import { hideSecrets, redact } from '../../src-main/contract/redact.ts';

describe('redact', () => {
  it.each([
    ['sent to jan.novak@example.test', 'sent to ***@example.test'],
    ['<a@b.test>, "c d"@e.test', '<***@b.test>, ***@e.test'],
    ['550 5.1.1 <žluťoučký@kůň.example>: unknown', '550 5.1.1 <***@kůň.example>: unknown'],
    ['password=hunter2 and more', 'password=[redacted] and more'],
    ['{"passphrase": "a b c"}', '{"passphrase": [redacted]}'],
    ['AUTH PLAIN AGEAYg==', 'AUTH PLAIN [redacted]'],
    ['-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n-----END OPENSSH PRIVATE KEY-----', '[private key]'],
  ])('%s', (text, clean) => {
    expect(redact(text)).toBe(clean);
  });

  it('hides secrets in use wherever they stand, also as base64, in JSON and inside one another', () => {
    hideSecrets(['Tajné "heslo" 7', 'Tajné "heslo" 7 a víc', null, undefined, '', 'abc']);
    const stack = new Error('535 what is Tajné "heslo" 7 a víc? said abc').stack ?? '';
    expect(redact(stack)).toContain('535 what is [redacted]? said abc');
    expect(redact(JSON.stringify({ given: 'Tajné "heslo" 7' }))).toBe('{"given":"[redacted]"}');
    expect(redact(`502 ${Buffer.from('Tajné "heslo" 7').toString('base64')}?`)).toBe('502 [redacted]?');
  });

  it('costs no more than a moment on a hostile text', () => {
    const before = process.cpuUsage();
    redact(`${'a'.repeat(200_000)} ${'x@'.repeat(20_000)}`);
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(500);
  });
});
