import { useCallback, useEffect, useRef, useState } from 'react';
import type { LogLevel, LogLine } from '../../src-main/contract/rows.ts';
import { asCallError, type CallError, call } from '../bridge/client.ts';
import { useChangeCount } from '../bridge/hooks.ts';

const pageSize = 200;
/** ms between two looks for new lines: the log has no signal of its own */
const lookEveryMs = 2000;

interface Query {
  level?: LogLevel;
  search?: string;
}

/** Lines of the log, newest first: new ones come on top while `live`, older ones when asked for. */
export function useLog(profile: string, query: Query, live: boolean) {
  const key = `${profile} ${JSON.stringify(query)}`;
  const wanted = useRef({ key, query });
  wanted.current = { key, query };
  const [state, setState] = useState<{
    key: string;
    lines: LogLine[];
    more: boolean;
    error: CallError | null;
  }>({
    key: '',
    lines: [],
    more: false,
    error: null,
  });
  const changes = useChangeCount(profile);
  const busy = useRef(false);

  const look = useCallback(async () => {
    const asked = wanted.current;
    try {
      const newest = await call('log:list', profile, { ...asked.query, limit: pageSize });
      if (wanted.current.key !== asked.key) return;
      setState((old) => {
        if (old.key !== asked.key)
          return { key: asked.key, lines: newest, more: newest.length === pageSize, error: null };
        return { ...old, lines: joined(newest, old.lines), error: null };
      });
    } catch (thrown) {
      setState((old) => ({ ...old, error: asCallError(thrown) }));
    }
  }, [profile]);

  const older = useCallback(async () => {
    const asked = wanted.current;
    const before = state.lines.at(-1)?.id;
    if (busy.current || before === undefined) return;
    busy.current = true;
    try {
      const page = await call('log:list', profile, { ...asked.query, limit: pageSize, before });
      if (wanted.current.key !== asked.key) return;
      setState((old) => ({ ...old, lines: [...old.lines, ...page], more: page.length === pageSize }));
    } catch (thrown) {
      setState((old) => ({ ...old, error: asCallError(thrown) }));
    } finally {
      busy.current = false;
    }
  }, [profile, state.lines]);

  const restart = useCallback(async () => {
    setState({ key: '', lines: [], more: false, error: null });
    await look();
  }, [look]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another query starts anew
  useEffect(() => {
    void look();
  }, [key, look]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a change in the shop is worth a look
  useEffect(() => {
    if (!live) return undefined;
    void look();
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void look();
    }, lookEveryMs);
    return () => clearInterval(timer);
  }, [live, changes, look]);

  const current = state.key === key;
  return {
    lines: current ? state.lines : [],
    more: current && state.more,
    loaded: current,
    error: state.error,
    older,
    restart,
  };
}

/** The newest page on top of what is known. Where the two do not meet, the newest page stands alone. */
function joined(newest: LogLine[], known: LogLine[]): LogLine[] {
  const oldest = newest.at(-1);
  if (!oldest || known.length === 0) return newest;
  const from = known.findIndex((line) => line.id === oldest.id);
  return from === -1 ? newest : [...newest, ...known.slice(from + 1)];
}
