import type { DeskEvents } from '../contract/desk.ts';
import { wordingOf } from '../mail/outcome-words.ts';
import { type NativeKey, say, told } from './words.ts';

const kinds = {
  'mailbox-full': 'kindMailboxFull',
  'recipient-busy': 'kindRecipientBusy',
  'unknown-recipient': 'kindUnknownRecipient',
  greylisted: 'kindGreylisted',
  'sender-refused': 'kindSenderRefused',
  'relay-refused': 'kindRelayRefused',
  'login-needed': 'kindLoginNeeded',
  throttled: 'kindThrottled',
  'message-refused': 'kindMessageRefused',
  policy: 'kindPolicy',
} as const satisfies Record<Exclude<ReturnType<typeof wordingOf>, null>, NativeKey>;

/** most kinds that a notification names: more is not read */
const mostNamed = 3;

/** Why mails failed, the commonest first, with how many where there are several: "5 no such mailbox, 2 mailbox full". */
export function failureKinds(failed: readonly Pick<DeskEvents['ended'][0], 'reason'>[]): string {
  const counts = new Map<string, number>();
  for (const { reason } of failed) {
    const words = kindOf(reason);
    counts.set(words, (counts.get(words) ?? 0) + 1);
  }
  const sorted = [...counts].sort((a, b) => b[1] - a[1]).slice(0, mostNamed);
  const [only] = sorted;
  if (failed.length === 1 && only) return failed[0]?.reason ? plain(told(failed[0].reason)) : only[0];
  return sorted.map(([words, count]) => `${count}× ${words}`).join(', ');
}

function kindOf(reason: string | null): string {
  if (reason === null || reason.trim() === '') return say('noReason');
  const wording = wordingOf(reason);
  return wording ? say(kinds[wording]) : plain(told(reason)).slice(0, 80);
}

/**
 * A server's words are anybody's words: one line, no control or invisible characters, nothing that turns the direction of writing,
 * and no markup, which some desktops would obey in a notification.
 */
export const plain = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ')
    .replaceAll('<', '‹')
    .replaceAll('>', '›')
    .replaceAll(/\s+/g, ' ')
    .trim();
