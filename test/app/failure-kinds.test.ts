import { describe, expect, it } from 'vitest';
import { failureKinds, plain } from '../../src-main/app/failure-kinds.ts';

const failed = (...reasons: (string | null)[]) => reasons.map((reason) => ({ reason }));

describe('why mails failed', () => {
  it('is said by kinds, the commonest first, with how many', () => {
    expect(
      failureKinds(
        failed(
          '550 5.1.1 <a@x.example>: user unknown',
          '552 5.2.2 mailbox is full',
          '550 5.1.1 no such user here',
          '550 User unknown in virtual mailbox table',
        ),
      ),
    ).toBe('3× no such mailbox, 1× mailbox full');
  });

  it('of one mail alone is the server’s own words', () => {
    expect(failureKinds(failed('552 5.2.2 mailbox is full'))).toBe('552 5.2.2 mailbox is full');
    expect(failureKinds(failed(null))).toBe('no reason was kept');
  });

  it('names three kinds at most, and words that nobody has sorted as they are', () => {
    expect(
      failureKinds(
        failed('554 a strange thing', '554 a strange thing', null, '552 5.2.2 mailbox is full', 'spam'),
      ),
    ).toMatch(/^2× 554 a strange thing, (1× [^,]+, 1× [^,]+)$/);
  });
});

describe('a server’s words', () => {
  it('are one line without anything that a desktop could take for an order', () => {
    expect(plain('a\r\nb\u0000c\u202Ed  e\t')).toBe('a b c d e');
    expect(plain('<a href="x">now</a>\u200B\u061C!')).toBe('‹a href="x"›now‹/a› !');
  });
});
