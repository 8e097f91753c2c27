import { ipcMain, type WebContents } from 'electron';
import type { CallName, Signals } from '../contract/channels.ts';
import { callNames } from '../contract/names.ts';
import { answerCall, type Handlers } from './answer.ts';
import { isOurFrame, type SenderFrame } from './sender.ts';

/**
 * Opens every channel of the contract. The only importer of ipcMain.
 * @param ours the one window that may call, or null while there is none
 * @param report gets what a person should not read (stack traces of our own bugs), without any argument
 */
export function registerCalls(
  handlers: Handlers,
  ours: () => WebContents | null,
  report: (text: string) => void,
): void {
  for (const name of callNames) {
    ipcMain.handle(name, (event, ...args: unknown[]) => {
      const window = ours();
      const frame = event.senderFrame as SenderFrame | null;
      const trusted = window !== null && event.sender === window && isOurFrame(frame, window.mainFrame);
      return answerCall(handlers, name as CallName, args, { trusted, report });
    });
  }
}

/** Tells the window something it did not ask for; nothing happens while there is no window. */
export function sendSignal<S extends keyof Signals>(
  to: WebContents | null,
  signal: S,
  data: Signals[S],
): void {
  if (to && !to.isDestroyed()) to.send(signal, data);
}
