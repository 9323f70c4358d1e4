import { useEffect, useState } from 'react';

/** Nothing waits longer for a start. */
const LATEST_MS = 1_000;

/** False while the agent starts, for at most a second: what is not needed for it is read afterwards. */
export function useAfterStart(isPreparing: boolean): boolean {
  const [isOver, setIsOver] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsOver(true), isPreparing ? LATEST_MS : 0);
    return () => clearTimeout(timer);
  }, [isPreparing]);
  return isOver;
}
