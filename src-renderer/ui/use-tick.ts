import { useEffect, useState } from 'react';

/** Draws the component anew every `everyMs`, for countdowns between two answers. */
export function useTick(everyMs: number): void {
  const [, draw] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') draw((n) => n + 1);
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
}
