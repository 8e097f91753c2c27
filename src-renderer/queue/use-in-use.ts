import { useCallback, useEffect, useRef, useState } from 'react';

/** ms after the last key in the list for which it stands still */
const keysHoldMs = 15_000;
/** ms after the mouse has left it: the way to "N new, show" must not take the button away */
const mouseHoldMs = 2_000;

/** Whether somebody is at the list: the mouse is over it, or keys were pressed in it a moment ago. */
export function useInUse(): { used: boolean; tell: (how: 'mouse' | 'key', on: boolean) => void } {
  const [used, setUsed] = useState({ mouse: false, key: false });
  const timers = useRef<{ mouse?: ReturnType<typeof setTimeout>; key?: ReturnType<typeof setTimeout> }>({});
  const tell = useCallback((how: 'mouse' | 'key', on: boolean) => {
    clearTimeout(timers.current[how]);
    if (on) setUsed((old) => (old[how] ? old : { ...old, [how]: true }));
    if (on && how === 'mouse') return;
    const holdMs = how === 'mouse' ? mouseHoldMs : keysHoldMs;
    timers.current[how] = setTimeout(() => setUsed((old) => ({ ...old, [how]: false })), holdMs);
  }, []);
  useEffect(
    () => () => {
      clearTimeout(timers.current.mouse);
      clearTimeout(timers.current.key);
    },
    [],
  );
  return { used: used.mouse || used.key, tell };
}
