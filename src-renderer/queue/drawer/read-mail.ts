import type { RowDetail } from '../../../src-main/contract/rows.ts';

/** A mail's payload, made readable. Everything in it is hostile and stays text. */
export interface ReadMail {
  /** why the payload cannot be read, or null */
  broken: string | null;
  isHtml: boolean;
  /** the message as it stands in the row */
  source: string;
  /** the message as a person reads it */
  text: string;
  headers: string;
  attachments: { name: string; size: number | null; embedded: boolean }[];
}

export function readMail(payload: RowDetail['payload']): ReadMail {
  const nothing = { isHtml: false, source: '', text: '', headers: '', attachments: [] };
  if (!payload.ok) return { ...nothing, broken: payload.error };
  const value = asRecord(payload.value);
  if (!value) return { ...nothing, broken: '', source: String(payload.value) };
  const source = asText(value['message']);
  const headers = headerText(value);
  const isHtml =
    /content[-_]type:\s*(text\/html|multipart)/i.test(headers) ||
    /^\s*<(!doctype|html|body|div|p|table)\b/i.test(source);
  const alt = asText(value['alt']);
  return {
    broken: null,
    isHtml,
    source,
    text: alt || (isHtml ? textOfHtml(source) : source),
    headers,
    attachments: [...fileList(value['attachments'], false), ...fileList(value['embeds'], true)],
  };
}

/**
 * The text of an HTML mail. The parsed document is never attached to ours: no script runs in it, and nothing is
 * fetched for it.
 */
function textOfHtml(html: string): string {
  const parsed = new DOMParser().parseFromString(html, 'text/html');
  for (const unseen of parsed.querySelectorAll('script, style, head, template')) unseen.remove();
  // line ends of the source mean nothing in HTML; those of its blocks do
  const walker = parsed.createTreeWalker(parsed.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    node.nodeValue = (node.nodeValue ?? '').replace(/\s+/g, ' ');
  }
  for (const end of parsed.querySelectorAll('br')) end.replaceWith('\n');
  for (const line of parsed.querySelectorAll('div, tr, li')) line.append('\n');
  for (const block of parsed.querySelectorAll('p, h1, h2, h3, h4, h5, h6, ul, ol, table, blockquote')) {
    block.prepend('\n');
    block.append('\n\n');
  }
  for (const cell of parsed.querySelectorAll('td, th')) cell.append('   ');
  const lines = (parsed.body.textContent ?? '').split('\n').map((line) => line.trim());
  return lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

function headerText(value: Record<string, unknown>): string {
  const { headers } = value;
  const given = Array.isArray(headers)
    ? headers.map(asText).join('\n')
    : asText(headers).replace(/\r\n/g, '\n');
  const extra = ['from', 'from_name', 'content_type', 'charset']
    .filter((key) => typeof value[key] === 'string' && value[key] !== '')
    .map((key) => `${key}: ${asText(value[key])}`);
  return [given.trim(), ...extra].filter(Boolean).join('\n');
}

function fileList(value: unknown, embedded: boolean): ReadMail['attachments'] {
  const items = Array.isArray(value) ? value : Object.values(asRecord(value) ?? {});
  return items.map((item: unknown) => {
    const file = asRecord(item);
    if (!file) return { name: baseName(asText(item)), size: null, embedded };
    const size = file['size'];
    return {
      name: asText(file['name']) || baseName(asText(file['file'])),
      size: typeof size === 'number' ? size : null,
      embedded,
    };
  });
}

function baseName(path: string): string {
  return path.split(/[\\/]/).at(-1) ?? path;
}

function asRecord(value: unknown): Record<string, unknown> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}
