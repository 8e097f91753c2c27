import { describe, expect, it } from 'vitest';
import { stateWords } from '../../src-main/cli/commands/state.ts';
import { exitOfAction, exitOfError } from '../../src-main/cli/exit.ts';
import { readMailLines } from '../../src-main/cli/mail-lines.ts';
import { readRowId } from '../../src-main/cli/options.ts';
import { paintFor } from '../../src-main/cli/paint.ts';
import { bar } from '../../src-main/cli/progress.ts';
import {
  cellsOf,
  factLines,
  fitCells,
  plain,
  plainLines,
  safeJson,
  tableLines,
} from '../../src-main/cli/text.ts';
import { duration, localTime, shortTime } from '../../src-main/cli/times.ts';
import { shapeNames } from '../../src-main/contract/profile.ts';

describe('text from strangers', () => {
  it('cannot move the cursor, colour the line or turn it around', () => {
    expect(plain('a\u001b[31mb\u009bc\u202ed\r\ne\0')).toBe('a\ufffd[31mb\ufffdc\ufffdd e\ufffd');
    expect(plainLines('a\r\n\u001b]0;x\u0007\n\tb')).toBe('a\n\ufffd]0;x\ufffd\n    b');
  });

  it('is escaped in JSON too, and means the same', () => {
    const value = { s: 'a\u009b\u202e\u2028\u001b ok ž' };
    const json = safeJson(value);
    expect(json).not.toMatch(/[\u0080-\u009f\u202e\u2028]/);
    expect(json).not.toContain('\u001b');
    expect(JSON.parse(json)).toEqual(value);
  });
});

describe('columns', () => {
  it('count cells, not characters', () => {
    expect(cellsOf('山田')).toBe(4);
    expect(cellsOf('e\u0301')).toBe(1);
    expect(fitCells('山田花子', 5)).toBe('山田…');
  });

  it('are aligned, numbers to the right', () => {
    const columns = [{ title: 'ID', align: 'right' as const }, { title: 'WHO' }, { title: 'X' }];
    expect(
      tableLines(
        columns,
        [
          ['7', '山田', 'a'],
          ['123', 'Al', 'b'],
        ],
        null,
      ),
    ).toEqual([' ID  WHO   X', '  7  山田  a', '123  Al    b']);
  });

  it('are cut to the width of the terminal, the widest first, and not in a pipe', () => {
    const columns = [
      { title: 'A', flexible: true },
      { title: 'B', flexible: true },
    ];
    const row = ['a'.repeat(40), 'b'.repeat(20)];
    for (const line of tableLines(columns, [row], 50)) expect(cellsOf(line)).toBeLessThanOrEqual(50);
    expect(tableLines(columns, [row], 50)[1]).toContain('b'.repeat(20));
    expect(tableLines(columns, [row], null)[1]).toBe(`${'a'.repeat(40)}  ${'b'.repeat(20)}`);
  });

  it('stand below one another in a list of facts', () => {
    expect(
      factLines([
        ['a', '1'],
        ['long', '2'],
      ]),
    ).toEqual(['a:     1', 'long:  2']);
  });
});

describe('times', () => {
  it('are local, short where it is today', () => {
    const noon = new Date(2026, 2, 1, 12, 5, 9).getTime() / 1000;
    expect(localTime(noon)).toBe('2026-03-01 12:05:09');
    expect(shortTime(noon, noon + 60)).toBe('12:05:09');
    expect(shortTime(noon, noon + 86_400)).toBe('2026-03-01 12:05:09');
  });

  it.each([
    [0.4, '0 s'],
    [59, '59 s'],
    [60, '1 min'],
    [245, '4 min 5 s'],
    [10_920, '3 h 2 min'],
    [187_200, '2 d 4 h'],
  ])('%d s is %s', (seconds, words) => {
    expect(duration(seconds)).toBe(words);
  });
});

describe('colours', () => {
  it('are for terminals alone, and not against a wish', () => {
    expect(paintFor(true, {})('red', 'x')).toBe('\u001b[31mx\u001b[39m');
    expect(paintFor(false, {})('red', 'x')).toBe('x');
    expect(paintFor(true, { NO_COLOR: '1' })('red', 'x')).toBe('x');
    expect(paintFor(true, { TERM: 'dumb' })('red', 'x')).toBe('x');
  });
});

describe('the bar', () => {
  it('is full at the end and never longer', () => {
    expect(bar(0.5, 4)).toBe('██░░');
    expect(bar(7, 4)).toBe('████');
    expect(bar(-1, 4)).toBe('░░░░');
  });
});

describe('exit codes', () => {
  it('tell the caller from the world', () => {
    expect(exitOfError('config')).toBe(2);
    expect(exitOfError('not-found')).toBe(2);
    expect(exitOfError('login')).toBe(3);
    expect(exitOfError('schema')).toBe(3);
    expect(exitOfError('host-key')).toBe(3);
    expect(exitOfError('stopped')).toBe(130);
  });

  it('forgive a refusal beside something done', () => {
    const refused = [{ id: 1, reason: 'x' }];
    expect(exitOfAction({ done: 1, refused })).toBe(0);
    expect(exitOfAction({ done: 0, refused })).toBe(2);
    expect(exitOfAction({ done: 0, refused: [] })).toBe(0);
  });
});

describe('ids of rows', () => {
  it('are numbers while they are safe, else text', () => {
    expect(readRowId('42')).toBe(42);
    expect(readRowId('18446744073709551615')).toBe('18446744073709551615');
    expect(readRowId('0a1b-2c')).toBe('0a1b-2c');
    for (const wrong of ['', '-1', '1; DROP', "1'"]) expect(() => readRowId(wrong)).toThrow();
  });
});

describe('lines of mails', () => {
  const good = '{"to":"a@b.example","subject":"s","message":"m"}';
  const faultOf = (text: string): string => {
    try {
      readMailLines(text);
    } catch (error) {
      return (error as Error).message;
    }
    throw new Error('no fault');
  };

  it('are read with Windows line ends, a byte order mark and empty lines', () => {
    expect(readMailLines(`\ufeff${good}\r\n\r\n${good}\n`)).toHaveLength(2);
    expect(readMailLines('')).toEqual([]);
  });

  it.each([
    ['{"to":"a@b.example","subject":"s"}', 'message is missing'],
    ['{"to":7,"subject":"s","message":"m"}', 'to must be an address or a list of addresses'],
    ['{"to":"a@b.example","subject":"s","message":"m","sende_at":1}', 'sende_at: no such field'],
    ['{"to":"a@b.example","subject":"s","message":"m","send_at":"soon"}', 'send_at is no date'],
    ['{"to":"a@b.example","subject":1,"message":"m"}', 'subject must be a string'],
    ['[1]', 'must be a JSON object'],
    ['{"to":', 'column 7'],
  ])('%s: %s', (line, words) => {
    const message = faultOf(`${good}\n${line}`);
    expect(message).toContain('line 2');
    expect(message).toContain(words);
    expect(message).toContain('Nothing was queued');
  });

  it('tells how many more are wrong', () => {
    expect(faultOf('x\ny\nz')).toContain('and 2 more');
  });
});

describe('what a state means', () => {
  it.each(shapeNames)('is true for the table of %s', (shape) => {
    const connector = shape === 'studiou-wcmq';
    const words = (['enabled', 'disabled'] as const).map((state) => stateWords(shape, state, 0)).join(' ');
    // nothing obeys the states in a table that another program fills
    expect(/the shop queues its mail|the shop sends its mail itself/.test(words)).toBe(connector);
    expect(words.includes('is still sent')).toBe(!connector);
    expect(stateWords(shape, 'draining', 2)).toBe(
      'Draining: 2 mails will still be sent, then it is disabled.',
    );
  });
});
