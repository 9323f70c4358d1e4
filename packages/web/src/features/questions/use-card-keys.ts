import type { QuestionItem } from '@aizuchi/shared/contract/question';
import { type RefObject, useEffect, useEffectEvent } from 'react';
import { isComposing } from '../../lib/is-composing.ts';
import { choose, type Draft, isAnswered } from './draft.ts';

interface CardKeys {
  readonly form: RefObject<HTMLFormElement | null>;
  readonly takesPageKeys: boolean;
  readonly isDisabled: boolean;
  readonly item: QuestionItem | undefined;
  readonly step: number;
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
  readonly onSubmit: () => void;
}

/**
 * 1–9 choose an option, Enter continues: while the card has the focus, and in a chat also while the composer is empty,
 * so that a person can answer from there. Only "Other…" moves the focus, because it needs a text.
 */
export function useCardKeys({
  form,
  takesPageKeys,
  isDisabled,
  item,
  step,
  draft,
  onChange,
  onSubmit,
}: CardKeys): void {
  const handleKey = useEffectEvent((event: KeyboardEvent) => {
    if (isDisabled || !item || !isForCard(event, form.current, takesPageKeys)) return;
    const isInside = form.current?.contains(event.target as Node) ?? false;
    // Inside of the card the form itself handles Enter.
    if (event.key === 'Enter' && !isInside && isAnswered(draft, step)) onSubmit();
    else if (isNumberOf(event.key, item)) {
      const n = Number(event.key);
      onChange(choose(draft, step, item, n));
      if (n === item.options.length + 1) focusOther(form.current, step);
    } else return;
    event.preventDefault();
    // No other card may handle it, too.
    event.stopImmediatePropagation();
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => handleKey(event);
    // In the capture phase, before the composer: an empty one would write the number.
    document.addEventListener('keydown', onKey, { capture: true });
    return () => document.removeEventListener('keydown', onKey, { capture: true });
  }, []);
}

function isNumberOf(key: string, item: QuestionItem): boolean {
  return /^[1-9]$/.test(key) && Number(key) <= item.options.length + 1;
}

function isForCard(event: KeyboardEvent, form: HTMLFormElement | null, takesPageKeys: boolean): boolean {
  const { target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || isComposing(event)) return false;
  if (!form || !(target instanceof HTMLElement)) return false;
  if (document.querySelector('[role="dialog"], [role="menu"]')) return false;
  const isComposer = target.matches('[data-composer]');
  if (
    !isComposer &&
    target.closest('textarea, select, [contenteditable], input:not([type="radio"], [type="checkbox"])')
  )
    return false;
  if (form.contains(target)) return true;
  // Also from the list or row around the card, which has the focus after it was scrolled to.
  return takesPageKeys && isComposerEmpty() && (isComposer || target.contains(form));
}

function isComposerEmpty(): boolean {
  const composer = document.querySelector<HTMLTextAreaElement>('[data-composer]');
  return composer === null || composer.value === '';
}

function focusOther(form: HTMLFormElement | null, step: number): void {
  // At once: the next key is part of the text.
  form?.querySelector<HTMLTextAreaElement>(`[data-step="${step}"] textarea`)?.focus({ preventScroll: true });
}
