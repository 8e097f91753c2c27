import { randomUUID } from 'node:crypto';
import {
  appendFileSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Dots, dotsFile, readDots } from '../../src-main/engine/dots.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'postroom-dots-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A console that began, took nothing over, and is believed. */
function settledIn(): Dots {
  const dots = new Dots(folder);
  dots.believe();
  return dots;
}

describe('the record of dots', () => {
  it('tells marked claims from others, to whoever reads it after a crash', () => {
    const [sent, guarded] = [randomUUID(), randomUUID()];
    settledIn().mark(sent);
    expect(readDots(folder)?.has(sent)).toBe(true);
    expect(readDots(folder)?.has(guarded)).toBe(false);
  });

  it('is not believed when there is none, nor after another boot', () => {
    expect(readDots(folder)).toBeNull();
    settledIn().mark(randomUUID());
    const [, ...rest] = readFileSync(dotsFile(folder), 'utf8').split('\n');
    writeFileSync(dotsFile(folder), ['another-boot', ...rest].join('\n'));
    expect(readDots(folder)).toBeNull();
  });

  it('a record that begins after a power cut says nothing of claims from before it', () => {
    settledIn().mark(randomUUID());
    writeFileSync(dotsFile(folder), 'another-boot');
    const second = new Dots(folder);
    expect(second.before).toBeNull();
    // dies before it has taken its predecessor's claims over
    second.mark(randomUUID());
    expect(readDots(folder)).toBeNull();
    second.believe();
    expect(readDots(folder)).not.toBeNull();
  });

  it('keeps what a predecessor had marked, should its successor die at once', () => {
    const claim = randomUUID();
    settledIn().mark(claim);
    const second = new Dots(folder);
    expect(second.before?.has(claim)).toBe(true);
    expect(readDots(folder)?.has(claim)).toBe(true);
  });

  it('a line that a full disk tore does not swallow the next one', () => {
    const dots = settledIn();
    appendFileSync(dotsFile(folder), `\n${randomUUID().slice(0, 10)}`);
    const claim = randomUUID();
    dots.mark(claim);
    expect(readDots(folder)?.has(claim)).toBe(true);
  });

  it('is written anew with what is open when it has grown, and goes on', () => {
    const dots = settledIn();
    const open = randomUUID();
    dots.mark(open);
    for (let n = 0; n < 8000; n += 1) {
      const claim = randomUUID();
      dots.mark(claim);
      dots.ended(claim);
    }
    expect(statSync(dotsFile(folder)).size).toBeLessThan(64 * 1024);
    const last = randomUUID();
    dots.mark(last);
    expect([open, last].map((claim) => readDots(folder)?.has(claim))).toEqual([true, true]);
  });

  it('refuses dots while it cannot be written anew, and goes on when it can', () => {
    const dots = settledIn();
    const away = `${folder}-away`;
    renameSync(folder, away);
    const many = () => {
      for (let n = 0; n < 8000; n += 1) dots.mark(randomUUID());
    };
    expect(many).toThrow(/Nothing is sent until it can/);
    expect(() => dots.mark(randomUUID())).toThrow(/Nothing is sent until it can/);
    renameSync(away, folder);
    const claim = randomUUID();
    dots.mark(claim);
    expect(readDots(folder)?.has(claim)).toBe(true);
    dots.close();
  });

  it('refuses a dot that it cannot write down', () => {
    const dots = settledIn();
    dots.close();
    expect(() => dots.mark(randomUUID())).toThrow(/Nothing is sent until it can/);
  });
});
