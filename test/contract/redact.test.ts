import { describe, expect, it } from 'vitest';
import { redact } from '../../src-main/contract/redact.ts';

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

  it('costs no more than a moment on a hostile text', () => {
    const before = process.cpuUsage();
    redact(`${'a'.repeat(200_000)} ${'x@'.repeat(20_000)}`);
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(500);
  });
});
