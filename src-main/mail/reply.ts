/** A mail server's answer in its parts (RFC 5321 4.2, RFC 3463). Pure. */
import type { SmtpReply } from './conversation.ts';
import { oneLine } from './text.ts';

/** Characters of an answer that are kept. */
const maxReply = 1000;

/**
 * Reads an answer of one or several lines; null when it does not begin with a code.
 * @param hide secrets that must not be in what is kept, whatever the server echoes
 */
export function parseReply(raw: string, hide: readonly string[] = []): SmtpReply | null {
  const code = /^([2-5]\d\d)(?:[ -]|$)/m.exec(raw)?.[1];
  if (code === undefined) return null;
  let enhanced: string | null = null;
  const lines = raw
    .slice(0, 20_000)
    .split(/\r?\n/)
    .map((line) => {
      const match = /^[2-5]\d\d[ -]?(?:([245]\.\d{1,3}\.\d{1,3})(?=\s|$|[^.\d]))?(.*)$/.exec(line);
      if (!match) return line;
      if (match[1] !== undefined) enhanced ??= match[1];
      return match[2] ?? '';
    });
  // some servers put the enhanced code behind other words: "550 Blocked #5.7.1 ..."
  enhanced ??= /(?:^|[\s(#:])([245]\.\d\.\d{1,3})(?=$|[\s):;,])/.exec(lines.join(' '))?.[1] ?? null;
  const text = oneLine(lines.map((line) => line.trim()).join(' ')).slice(0, maxReply);
  return { code: Number(code), enhanced, text: hideSecrets(text, hide) };
}

/** `550 5.1.1 No such user`: an answer as a person reads it. */
export function replyWords(reply: SmtpReply): string {
  return [String(reply.code), reply.enhanced, reply.text]
    .filter((part) => part !== null && part !== '')
    .join(' ');
}

/** Text without the given secrets; very short ones are left, since they would blacken ordinary words. */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) if (secret.length >= 4) clean = clean.replaceAll(secret, '***');
  return clean;
}
