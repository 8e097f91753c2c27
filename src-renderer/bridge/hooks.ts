import { useCallback, useEffect, useEffectEvent, useRef, useState } from 'react';
import type { Signals } from '../../src-main/contract/channels.ts';
import { asCallError, type CallError } from './client.ts';

/** Listens to a signal of the main process for as long as the component lives. */
export function useSignal<S extends keyof Signals>(signal: S, listener: (data: Signals[S]) => void): void {
  const latest = useEffectEvent(listener);
  useEffect(() => window.postroom.on(signal, (data) => latest(data)), [signal]);
}

/** Rises each time the shop says that something changed, at most twice a second. */
export function useChangeCount(profile: string): number {
  const [count, setCount] = useState(0);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  useSignal('shop:changed', (data) => {
    if (data.profile !== profile || timer.current) return;
    timer.current = setTimeout(() => {
      timer.current = null;
      setCount((n) => n + 1);
    }, 500);
  });
  useEffect(
    () => () => {
      if (timer.current) clearTimeout(timer.current);
    },
    [],
  );
  return count;
}

/** Rises every `everyMs` while the window can be seen. */
export function useBeat(everyMs: number): number {
  const [beat, setBeat] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') setBeat((n) => n + 1);
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return beat;
}

/** A value fetched from the main process. The last good value stays while a newer one is on its way or fails. */
export interface Fetched<T> {
  value: T | null;
  error: CallError | null;
  /** asks again now */
  refresh: () => Promise<void>;
}

/**
 * Fetches at once, whenever `key` changes, and, while the window can be seen, every `everyMs` (0 = only then).
 * Another `version` asks anew, too, but keeps the old value on screen meanwhile.
 * An answer that arrives after a newer question was asked is dropped.
 */
export function useFetched<T>(fetch: () => Promise<T>, key: string, everyMs = 0, version = 0): Fetched<T> {
  const [state, setState] = useState<{ value: T | null; error: CallError | null; key: string }>({
    value: null,
    error: null,
    key,
  });
  const asked = useRef(0);
  const latest = useRef(fetch);
  latest.current = fetch;

  const newest = useRef<Promise<void>>(Promise.resolve());
  const refresh = useCallback(() => {
    const mine = ++asked.current;
    const ask = async () => {
      try {
        const value = await latest.current();
        if (mine === asked.current) return setState({ value, error: null, key });
      } catch (thrown) {
        const error = asCallError(thrown);
        if (mine === asked.current)
          return setState((old) => ({ value: old.key === key ? old.value : null, error, key }));
      }
      // dropped for a newer question: whoever waits goes on when its answer is on screen, and not with the old one
      return newest.current;
    };
    newest.current = ask();
    return newest.current;
  }, [key]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another version asks anew
  useEffect(() => {
    void refresh();
  }, [refresh, version]);

  useEffect(() => {
    if (everyMs === 0) return undefined;
    let stopped = false;
    let timer: ReturnType<typeof setTimeout>;
    const tick = async () => {
      // a slow answer must not pile questions up: the next one is asked after it
      if (document.visibilityState === 'visible') await refresh();
      if (!stopped) timer = setTimeout(() => void tick(), everyMs);
    };
    timer = setTimeout(() => void tick(), everyMs);
    const wake = () => {
      if (document.visibilityState === 'visible') void refresh();
    };
    document.addEventListener('visibilitychange', wake);
    return () => {
      stopped = true;
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', wake);
    };
  }, [refresh, everyMs]);

  return {
    value: state.key === key ? state.value : null,
    error: state.key === key ? state.error : null,
    refresh,
  };
}

/** Runs something that a person asked for, once at a time: a second click while it runs does nothing. */
export function useAction<A extends unknown[]>(
  action: (...args: A) => Promise<unknown>,
): { run: (...args: A) => Promise<boolean>; busy: boolean; error: CallError | null; clear: () => void } {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<CallError | null>(null);
  const running = useRef(false);
  const run = async (...args: A): Promise<boolean> => {
    if (running.current) return false;
    running.current = true;
    setBusy(true);
    setError(null);
    try {
      await action(...args);
      return true;
    } catch (thrown) {
      setError(asCallError(thrown));
      return false;
    } finally {
      running.current = false;
      setBusy(false);
    }
  };
  return { run, busy, error, clear: () => setError(null) };
}
