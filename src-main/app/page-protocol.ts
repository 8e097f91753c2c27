import { readFile } from 'node:fs/promises';
import { protocol, type Session } from 'electron';
import { appScheme, findAsset, pageHeaders } from './assets.ts';

/** Must run before the app is ready: tells Chromium that app:// is a place with an origin of its own. */
export function declareScheme(): void {
  protocol.registerSchemesAsPrivileged([
    {
      scheme: appScheme,
      privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true },
    },
  ]);
}

/** Serves the built page under app://, nothing outside `root`. */
export function servePage(session: Session, root: string): void {
  session.protocol.handle(appScheme, async (request) => {
    const asset = request.method === 'GET' ? findAsset(root, request.url) : null;
    if (!asset) return new Response('not found', { status: 404, headers: pageHeaders });
    try {
      const body = await readFile(asset.file);
      return new Response(new Uint8Array(body), { headers: { ...pageHeaders, 'Content-Type': asset.type } });
    } catch {
      return new Response('not found', { status: 404, headers: pageHeaders });
    }
  });
}

/**
 * Shuts the session: no permission is ever granted, and nothing but our own page is loaded.
 * @param alsoAllow address of the development server, or null
 */
export function shutSession(session: Session, alsoAllow: string | null): void {
  session.setPermissionRequestHandler((_contents, _permission, answer) => answer(false));
  session.setPermissionCheckHandler(() => false);
  session.setDevicePermissionHandler(() => false);
  const allowed = [`${appScheme}://`, 'devtools://', 'data:', 'blob:'];
  if (alsoAllow) allowed.push(alsoAllow, alsoAllow.replace(/^http/, 'ws'));
  session.webRequest.onBeforeRequest((details, answer) => {
    answer({ cancel: !allowed.some((start) => details.url.startsWith(start)) });
  });
}
