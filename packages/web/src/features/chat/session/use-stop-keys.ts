import { useEffect, useEffectEvent, useState } from 'react';
import { isComposing } from '../../../lib/is-composing.ts';

/** Within this time the second Esc stops the agent. */
const ARMED_MS = 3_000;

/**
 * Esc twice in the chat stops the agent; once would lose an answer to a slip. While the agent works Esc does not close
 * the chat. Returns whether the next Esc stops.
 */
export function useStopKeys(canStop: boolean, onStop: () => void): boolean {
  const [armedAt, setArmedAt] = useState<number>();
  const isArmed = canStop && armedAt !== undefined;
  const press = useEffectEvent(() => {
    setArmedAt(isArmed ? undefined : performance.now());
    if (isArmed) onStop();
  });
  useEffect(() => {
    if (!canStop) return;
    const onKey = (event: KeyboardEvent) => {
      if (!isStopKey(event)) return;
      event.preventDefault();
      if (!event.repeat) press();
    };
    // Before the column of the chat, which closes on Esc.
    document.addEventListener('keydown', onKey, { capture: true });
    return () => document.removeEventListener('keydown', onKey, { capture: true });
  }, [canStop]);
  useEffect(() => {
    if (armedAt === undefined) return;
    const timer = setTimeout(() => setArmedAt(undefined), ARMED_MS);
    return () => clearTimeout(timer);
  }, [armedAt]);
  return isArmed;
}

function isStopKey(event: KeyboardEvent): boolean {
  const { key, target } = event;
  if (key !== 'Escape' || isComposing(event) || !(target instanceof Element)) return false;
  if (document.querySelector('[role="dialog"],[role="menu"]')) return false;
  // A field of its own, such as the note of a refusal, is left by Esc.
  if (target.closest('[data-own-escape]')) return false;
  return target === document.body || target.closest('[data-chat]') !== null;
}
