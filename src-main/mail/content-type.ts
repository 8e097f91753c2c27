/** What kind of text a mail is, out of its Content-Type. Pure. */

/** How the payload's `message` is meant. */
export type BodyKind =
  | { kind: 'plain' }
  | { kind: 'html' }
  /** multipart/alternative that PHPMailer was to build: HTML plus the text part (FINDINGS 23) */
  | { kind: 'alternative' }
  /** another text type, such as text/calendar; `type` is safe in a header */
  | { kind: 'text'; type: string }
  /** the caller built the multipart body by itself; `type` and `boundary` are safe in a header */
  | { kind: 'multipart'; type: string; boundary: string };

const mediaType = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,60}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,60}$/;

/**
 * @param declared value of payload.content_type or of a Content-Type header, null where there is none
 * @param message only looked at to tell a ready multipart body from one that is still to be built
 */
export function readContentType(declared: string | null, message: string): BodyKind {
  const [first = '', ...parameters] = (declared ?? '').split(';');
  const type = first.trim().toLowerCase();
  if (type === 'text/html') return { kind: 'html' };
  if (!mediaType.test(type) || type === 'text/plain') return { kind: 'plain' };
  if (type.startsWith('multipart/')) {
    const boundary = boundaryOf(parameters);
    if (boundary !== null && message.includes(`--${boundary}`)) return { kind: 'multipart', type, boundary };
    return { kind: 'alternative' };
  }
  return type.startsWith('text/') ? { kind: 'text', type } : { kind: 'plain' };
}

function boundaryOf(parameters: readonly string[]): string | null {
  for (const parameter of parameters) {
    const match = /^\s*boundary\s*=\s*"?([^"]*?)"?\s*$/i.exec(parameter);
    // RFC 2046 5.1.1 bchars, at most 70
    if (match?.[1] && /^[0-9A-Za-z'()+_,./:=? -]{1,70}$/.test(match[1])) return match[1];
  }
  return null;
}

/** The mail's text is UTF-8 by the time that it is here; what is declared only says how that name is spelled. */
export function readCharset(declared: string | null, contentType: string | null): string {
  const named = declared ?? /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(contentType ?? '')?.[1] ?? '';
  return /^utf-8$/i.test(named) ? named : 'UTF-8';
}
