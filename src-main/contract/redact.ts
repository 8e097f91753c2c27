/**
 * Takes mail addresses and secrets out of a text before it is logged (promise 12; the shop's own log has the same
 * contract, plan section 3.1c). The domain stays: it tells which mail server made trouble, and names nobody.
 */
const domain = String.raw`((?:[\p{L}\p{N}-]+\.)*[\p{L}\p{N}-]+|\[[^\]\s]*\])`;
// A word is tried from its beginning only: without the look-behind 40 KB of hostile text cost a second.
const plain = String.raw`(?<![^\s<>"'(),:;=])[^\s<>"'(),:;=]+`;
const quoted = String.raw`"[^"\n]{1,64}"`;
const address = new RegExp(`(?:${plain}|${quoted})@${domain}`, 'gu');
const secret = /\b(pass(?:word|phrase)?|pwd|secret|token|key)(["']?\s*[=:]\s*)("[^"]*"|'[^']*'|\S+)/gi;
const authLine = /\bAUTH\s+(PLAIN|LOGIN|XOAUTH2|CRAM-MD5)\s+\S+/gi;
const privateKey = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)/g;

/** Secrets that are in use, as they and their base64 forms could come back in a server's words or a stack. */
const inUse = new Set<string>();
/** Shorter ones would blank half of a text, and are found by the rules above where they follow their name. */
const shortestHidden = 4;

/**
 * From now on `redact` takes these very texts out of every line, whatever stands around them. For each secret before it is
 * used; a secret stays hidden until the process ends, since a late error may still carry it.
 */
export function hideSecrets(secrets: Iterable<string | null | undefined>): void {
  for (const text of secrets) {
    if (!text || text.length < shortestHidden) continue;
    inUse.add(text);
    // AUTH LOGIN sends it so, and a server may echo what it did not understand (RFC 4954)
    inUse.add(btoa(String.fromCharCode(...new TextEncoder().encode(text))));
    // as it stands inside JSON and in the stack of an error made from it
    inUse.add(JSON.stringify(text).slice(1, -1));
  }
}

export function redact(text: string): string {
  let clean = text;
  // the longest first: one may be a part of another
  for (const known of [...inUse].sort((a, b) => b.length - a.length))
    clean = clean.replaceAll(known, '[redacted]');
  return clean
    .replace(privateKey, '[private key]')
    .replace(authLine, 'AUTH $1 [redacted]')
    .replace(secret, '$1$2[redacted]')
    .replace(address, '***@$1');
}
