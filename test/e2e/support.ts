import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type ElectronApplication, _electron as electron, type Page } from 'playwright-core';

export const root = path.resolve(import.meta.dirname, '..', '..');

/** The running app, and the folder that it keeps its things in. */
export interface RunningApp {
  app: ElectronApplication;
  page: Page;
  userData: string;
  /** lines of stderr so far */
  stderr: () => string;
  /** ends the app as a person does, and waits for it; `keep` leaves its folder for another start */
  close: (options?: { keep?: boolean }) => Promise<void>;
}

export interface LaunchOptions {
  /** a packaged app's executable; else the built app on the runtime of this machine */
  executable?: string;
  /** folder of an earlier start */
  userData?: string;
  size?: { width: number; height: number };
  /** what the desktop speaks, as GLib reads it; English unless said otherwise */
  language?: string;
  environment?: Record<string, string>;
  /** more switches of Chromium's */
  switches?: string[];
}

/** Starts the app with a folder of its own, so that nothing of this machine's person is touched. */
export async function launch(options: LaunchOptions = {}): Promise<RunningApp> {
  const userData = options.userData ?? (await mkdtemp(path.join(tmpdir(), 'postroom-e2e-')));
  let stderr = '';
  const app = await start(userData, options);
  app.process().stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const page = await app.firstWindow();
  page.setDefaultTimeout(15_000);
  const { width, height } = options.size ?? { width: 1240, height: 820 };
  await app.evaluate(
    ({ BrowserWindow }, size) => {
      BrowserWindow.getAllWindows()[0]?.setContentSize(size.width, size.height);
    },
    { width, height },
  );
  return {
    app,
    page,
    userData,
    stderr: () => stderr,
    close: async ({ keep = false } = {}) => {
      await app.close();
      if (!keep) await rm(userData, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    },
  };
}

/** Starts the app without waiting for a window: at login it shows none. */
export async function start(userData: string, options: LaunchOptions = {}): Promise<ElectronApplication> {
  return electron.launch({
    executablePath: options.executable ?? (await runtimeExecutable()),
    args: [...startArguments(userData, options.executable !== undefined), ...(options.switches ?? [])],
    timeout: 60_000,
    env: {
      ...(process.env as Record<string, string>),
      LANGUAGE: options.language ?? 'en',
      ...options.environment,
    },
  });
}

/** What the app is started with. */
export function startArguments(userData: string, packaged = false): string[] {
  const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : []; // Chromium refuses root with it
  return [...asRoot, ...(packaged ? [] : [root]), `--user-data-dir=${userData}`];
}

/** The Electron of this machine. */
export async function runtimeExecutable(): Promise<string> {
  const script: string = path.join(root, 'scripts', 'electron-runtime.mjs');
  const { electronRuntime } = (await import(script)) as {
    electronRuntime: () => Promise<{ executable: string }>;
  };
  return (await electronRuntime()).executable;
}

/**
 * Takes the window's picture in both themes, for the README. Only when asked for by POSTROOM_PICTURES=1: fonts
 * differ from machine to machine, and a test run must not change files of the project.
 * @param said texts of this test run, and what stands in their place in the picture
 */
export async function picture(page: Page, name: string, said: Record<string, string> = {}): Promise<void> {
  if (process.env['POSTROOM_PICTURES'] !== '1') return;
  await page.evaluate(sayOtherwise, said);
  await page.mouse.move(2, 400);
  const toasts = page.getByRole('button', { name: 'Dismiss' });
  // one may be on its way out by itself
  while ((await toasts.count()) > 0)
    await toasts
      .first()
      .click({ timeout: 1_000 })
      .catch(() => undefined);
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    await page.waitForTimeout(400);
    await page.screenshot({ path: path.join(root, 'docs', 'pictures', `${name}-${theme}.png`) });
  }
  await page.emulateMedia({ colorScheme: 'light' });
}

function sayOtherwise(said: Record<string, string>): void {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode())
    for (const [here, there] of Object.entries(said))
      if (node.nodeValue?.includes(here)) node.nodeValue = node.nodeValue.replace(here, there);
}
