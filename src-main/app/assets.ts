import path from 'node:path';

/** Scheme and host of our own page. */
export const appScheme = 'app';
export const appOrigin = `${appScheme}://postroom`;
export const startUrl = `${appOrigin}/index.html`;

/**
 * What the page may do: run its own scripts and nothing else. Styles may be inline, since the component library
 * positions things by style attributes; scripts never. Nothing may be fetched, framed, posted or embedded; the preview of
 * a mail is a sandboxed frame whose text stands in its `srcdoc`, which is no fetch and inherits all of this.
 */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "form-action 'none'",
  "base-uri 'none'",
].join('; ');

/** Headers of every answer under app://. */
export const pageHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy': contentSecurityPolicy,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
};

/** A file of the page, or null where an address leads out of the folder, to another host, or to a kind unknown. */
export function findAsset(root: string, address: string): { file: string; type: string } | null {
  let url: URL;
  let wanted: string;
  try {
    url = new URL(address);
    wanted = decodeURIComponent(url.pathname);
  } catch {
    return null;
  }
  if (`${url.protocol}//${url.host}` !== appOrigin) return null;
  if (wanted.includes('\0') || wanted.includes('\\')) return null;
  if (wanted === '/') wanted = '/index.html';
  const base = path.resolve(root);
  const file = path.resolve(base, `.${wanted}`);
  if (!file.startsWith(base + path.sep)) return null;
  const type = types[path.extname(file).toLowerCase()];
  return type ? { file, type } : null;
}
