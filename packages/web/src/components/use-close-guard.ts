import { type FormEvent, useRef, useState } from 'react';

/** `written`: when a text was written into it. `always`: what it shows cannot be shown again. */
export type AsksBeforeClose = 'written' | 'always' | false;

interface CloseGuardInput {
  readonly asks: AsksBeforeClose;
  readonly onOpenChange: (open: boolean) => void;
}

/** Esc, × and a click outside ask first where they would lose something; the same again keeps the dialog open. */
export function useCloseGuard({ asks, onOpenChange }: CloseGuardInput) {
  const [isAsking, setIsAsking] = useState(false);
  const written = useRef(new Set<HTMLInputElement | HTMLTextAreaElement>());
  const isAtRisk = () =>
    asks === 'always' ||
    (asks === 'written' &&
      [...written.current].some((field) => field.isConnected && field.value.trim() !== ''));
  return {
    isAsking,
    stay: () => setIsAsking(false),
    leave: () => {
      setIsAsking(false);
      onOpenChange(false);
    },
    onInput: ({ target }: FormEvent) => {
      if (isTextField(target)) written.current.add(target);
    },
    onOpenChange: (open: boolean) => {
      if (open) onOpenChange(true);
      else if (isAsking) setIsAsking(false);
      else if (isAtRisk()) setIsAsking(true);
      else onOpenChange(false);
    },
  };
}

function isTextField(target: EventTarget): target is HTMLInputElement | HTMLTextAreaElement {
  if (target instanceof HTMLTextAreaElement) return true;
  return target instanceof HTMLInputElement && target.type !== 'radio' && target.type !== 'checkbox';
}
