import { appOrigin } from './assets.ts';

/** What we look at in a calling frame. */
export interface SenderFrame {
  url: string;
  parent: unknown;
}

let developmentOrigin: string | null = null;

/** Lets the development server's page call as well; never called in a packaged app. */
export function trustDevelopmentOrigin(url: string): void {
  developmentOrigin = originOf(url);
}

/**
 * Whether a call comes from our window's own page: its top frame, loaded from app://. A frame that is gone,
 * embedded, or shows anything else is a stranger.
 */
export function isOurFrame(frame: SenderFrame | null, mainFrame: unknown): boolean {
  if (frame === null || frame !== mainFrame || frame.parent !== null) return false;
  const origin = originOf(frame.url);
  return origin !== null && (origin === appOrigin || origin === developmentOrigin);
}

/** `scheme://host` of an address. URL.origin is no help here: it is "null" for every scheme but the web's own. */
function originOf(url: string): string | null {
  try {
    const { protocol, host } = new URL(url);
    return `${protocol}//${host}`;
  } catch {
    return null;
  }
}
