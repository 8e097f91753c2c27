import { describe, expect, it } from 'vitest';
import { intervalMs, readSettings } from '../../src-main/contract/settings.ts';
import { decide } from '../../src-main/engine/gate.ts';

const minutes = 10;
const start = 1_800_000_000_000;

/**
 * Ten minutes of the worker's loop against the gate itself: it sleeps as long as the gate says, a conversation is
 * accepted at a moment of its own before its reply, and its line counts from the grant until 60 s after the reply.
 */
function drainFor(rate: number, replyMs: number): { sent: number; most: number } {
  const settings = readSettings({ rate_per_minute: rate });
  const lines: { finishedMs: number }[] = [];
  const accepted: number[] = [];
  let lastStartMs = 0;
  let nowMs = start;
  const endMs = start + minutes * 60_000;
  while (nowMs < endMs) {
    const counted = lines.filter((line) => line.finishedMs > nowMs || line.finishedMs > nowMs - 60_000);
    const done = counted.filter((line) => line.finishedMs <= nowMs).map((line) => line.finishedMs);
    const word = decide(
      {
        nowMs,
        state: 'enabled',
        settings,
        pace: { lastStartMs, learnedIntervalMs: null, pause: null },
        drainBy: null,
        used: {
          minute: counted.length,
          hour: 0,
          day: 0,
          minuteFreeMs: done.length ? Math.min(...done) + 60_000 : null,
          hourFreeMs: null,
          dayFreeMs: null,
        },
      },
      { conversations: 0, recipients: 0 },
      1,
      false,
    );
    if (word.open) {
      lastStartMs = nowMs;
      lines.push({ finishedMs: nowMs + replyMs });
      // anywhere between the grant and the reply: early for every second mail, late for the others
      accepted.push(lines.length % 2 ? nowMs : nowMs + replyMs);
    } else if (word.why === 'never') throw new Error('a mail of one recipient can always pass');
    else nowMs += word.waitMs;
  }
  accepted.sort((a, b) => a - b);
  let most = 0;
  for (let from = 0, to = 0; to < accepted.length; to += 1) {
    while ((accepted[from] ?? 0) <= (accepted[to] ?? 0) - 60_000) from += 1;
    most = Math.max(most, to - from + 1);
  }
  return { sent: accepted.length, most };
}

describe('the cap', () => {
  const rates = Array.from({ length: 60 }, (_, index) => index + 1);
  it.each([0, 0.2, 1, 5, 15, 30])(
    'is used and never passed at any rate, with replies after %d s',
    (replyS) => {
      for (const rate of rates) {
        const { sent, most } = drainFor(rate, replyS * 1000);
        const byCeil = 60_000 / intervalMs(rate);
        const fair = (byCeil * minutes * 60) / (60 + replyS);
        expect.soft(most, `rate ${rate}: most in 60 s`).toBeLessThanOrEqual(rate);
        expect.soft(sent, `rate ${rate}: sent`).toBeGreaterThanOrEqual(Math.floor(fair * 0.98));
      }
    },
  );
});
