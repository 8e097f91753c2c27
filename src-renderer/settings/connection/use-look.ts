import { useCallback, useEffect, useRef, useState } from 'react';
import type { DoctorStep } from '../../../src-main/contract/desk.ts';
import type { LookDraft } from '../../../src-main/contract/look.ts';
import { asCallError, type CallError, call } from '../../bridge/client.ts';
import { useSignal } from '../../bridge/hooks.ts';
import { withStep } from '../../ui/Steps.tsx';
import type { Draft } from './draft.ts';

interface State<T> {
  busy: boolean;
  /** the doctor's, as they come */
  steps: DoctorStep[];
  /** what it is at */
  words: string | null;
  result: T | null;
  error: CallError | null;
  stopped: boolean;
  /** the form that it looked with */
  looked: Draft | null;
}

/** A look around, from its start to what it found. */
export interface Look<T> extends State<T> {
  /** Looks anew; what was found before goes. Null when it failed, was stopped, or another look took its place. */
  start: (draft: Draft) => Promise<T | null>;
  stop: () => void;
}

const nothing = {
  busy: false,
  steps: [],
  words: null,
  result: null,
  error: null,
  stopped: false,
  looked: null,
};

/**
 * One kind of look at the form. Another one that is started anywhere in the window stops it, as does leaving the form.
 * @param ask calls the main process under the look's name
 * @param wire the form as it crosses the bridge
 */
export function useLook<T>(
  ask: (id: string, draft: LookDraft) => Promise<T>,
  wire: (draft: Draft) => LookDraft,
): Look<T> {
  const [state, setState] = useState<State<T>>(nothing);
  const running = useRef<string | null>(null);
  useSignal('look:progress', ({ look, progress }) => {
    if (look !== running.current) return;
    setState((old) =>
      'step' in progress
        ? { ...old, steps: withStep(old.steps, progress.step) }
        : { ...old, words: progress.words },
    );
  });
  const stop = useCallback(() => {
    if (running.current) void call('look:stop', running.current).catch(() => undefined);
  }, []);
  useEffect(() => stop, [stop]);
  const start = async (draft: Draft) => {
    stop();
    const id = crypto.randomUUID();
    running.current = id;
    setState({ ...nothing, busy: true, looked: draft });
    let end: Partial<State<T>>;
    let found: T | null = null;
    try {
      found = await ask(id, wire(draft));
      end = { result: found };
    } catch (thrown) {
      const error = asCallError(thrown);
      end = error.code === 'stopped' ? { stopped: true } : { error };
    }
    if (running.current !== id) return null; // a newer one has the screen
    running.current = null;
    setState((old) => ({ ...old, ...end, busy: false, words: null }));
    return found;
  };
  return { ...state, start, stop };
}
