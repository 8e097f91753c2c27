import { useCallback, useEffect, useRef, useState } from 'react';
import { asCallError, type CallError, call } from '../bridge/client.ts';
import { useSignal } from '../bridge/hooks.ts';

/** Work on the connector: one thing at a time, each under a name of its own by which it can be stopped. */
export interface ConnectorWork {
  busy: boolean;
  /** what it is at */
  words: string | null;
  error: CallError | null;
  stopped: boolean;
  /** Answers null when it failed or was stopped; then `error` or `stopped` says so. */
  run: <T>(work: (id: string) => Promise<T>) => Promise<T | null>;
  stop: () => void;
}

const idle = { busy: false, words: null, error: null, stopped: false };

export function useConnectorWork(): ConnectorWork {
  const [state, setState] = useState<Omit<ConnectorWork, 'run' | 'stop'>>(idle);
  const running = useRef<string | null>(null);
  useSignal('look:progress', ({ look, progress }) => {
    if (look === running.current && 'words' in progress)
      setState((old) => ({ ...old, words: progress.words }));
  });
  const stop = useCallback(() => {
    if (running.current) void call('connector:stop', running.current).catch(() => undefined);
  }, []);
  useEffect(() => stop, [stop]);
  const run = async <T>(work: (id: string) => Promise<T>): Promise<T | null> => {
    if (running.current) return null;
    const id = crypto.randomUUID();
    running.current = id;
    setState({ ...idle, busy: true });
    try {
      const result = await work(id);
      setState(idle);
      return result;
    } catch (thrown) {
      const error = asCallError(thrown);
      setState(error.code === 'stopped' ? { ...idle, stopped: true } : { ...idle, error });
      return null;
    } finally {
      running.current = null;
    }
  };
  return { ...state, run, stop };
}
