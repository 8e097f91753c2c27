import { describe, expect, it } from 'vitest';
import { makeTeller } from '../../src-main/contract/sentences.ts';

const tell = makeTeller({
  'The look was stopped.': 'Hledání bylo zastaveno.',
  'The mail server {{where}} cannot be used: {{words}}': 'Poštovní server {{where}} nelze použít: {{words}}',
  'it did not answer within {{s}} s': 'neodpověděl do {{s}} s',
  '{{what}} cannot be read.': '{{what}} nelze přečíst.',
  'The file {{file}} cannot be read.': 'Soubor {{file}} nelze přečíst.',
  'Row {{id}}: sent (again).': 'Řádek {{id}}: odesláno (znovu).',
});

describe('a sentence in another language', () => {
  it('is found whole', () => {
    expect(tell('The look was stopped.')).toBe('Hledání bylo zastaveno.');
  });

  it('keeps what differs, and turns over the sentence within', () => {
    expect(tell('The mail server mx.example cannot be used: it did not answer within 30 s')).toBe(
      'Poštovní server mx.example nelze použít: neodpověděl do 30 s',
    );
    expect(tell('The mail server mx.example cannot be used: 554 5.7.1 go away')).toBe(
      'Poštovní server mx.example nelze použít: 554 5.7.1 go away',
    );
  });

  it('is turned over by the pattern that says most of it', () => {
    expect(tell('The file a.pem cannot be read.')).toBe('Soubor a.pem nelze přečíst.');
  });

  it('begins large where a part of it stands at the beginning', () => {
    expect(
      makeTeller({ 'the server at {{1}}': 'server na {{1}}', '{{1}} refused.': '{{1}} odmítá.' })(
        'The server at x refused.',
      ),
    ).toBe('Server na x odmítá.');
  });

  it('may follow another one', () => {
    expect(tell('The look was stopped. Row 7: sent (again).')).toBe(
      'Hledání bylo zastaveno. Řádek 7: odesláno (znovu).',
    );
    expect(tell('The look was stopped. Nobody has said this.')).toBe(
      'Hledání bylo zastaveno. Nobody has said this.',
    );
  });

  it('takes brackets, line breaks and placeholders in what differs as they are', () => {
    expect(tell('The file a\n(b).+{{file}} cannot be read.')).toBe('Soubor a\n(b).+{{file}} nelze přečíst.');
    expect(tell('The file $& cannot be read.')).toBe('Soubor $& nelze přečíst.');
  });

  it('may be one of a list, or the cause of another one', () => {
    expect(tell('host: The look was stopped.')).toBe('host: Hledání bylo zastaveno.');
    expect(tell('host: it did not answer within 5 s; port: nobody knows')).toBe(
      'host: neodpověděl do 5 s; port: nobody knows',
    );
  });

  it('stays as it is where nobody has translated it', () => {
    expect(tell('250 2.0.0 Ok: queued')).toBe('250 2.0.0 Ok: queued');
    expect(makeTeller({})('The look was stopped.')).toBe('The look was stopped.');
  });

  it('ends soon with texts made to be slow', () => {
    // the test's own time limit is the check
    for (const text of [
      `The mail server ${'cannot be used: '.repeat(2_000)}`,
      `${' cannot be read.'.repeat(240)}!`,
    ])
      expect(tell(text)).not.toBe('');
  });
});
