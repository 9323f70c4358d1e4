import type { QuestionItem } from '@aizuchi/shared/contract/question';
import { type RefObject, useEffect, useEffectEvent } from 'react';
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
 * 1–9 choose, Enter goes on: while the card has the focus, and in a chat also while its composer is empty, so that
 * who answers need not leave it. Nothing takes the focus away, except "Other…", which asks for a text.
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
    // Inside of the card Enter is the form's own.
    if (event.key === 'Enter' && !isInside && isAnswered(draft, step)) onSubmit();
    else if (isNumberOf(event.key, item)) {
      const n = Number(event.key);
      onChange(choose(draft, step, item, n));
      if (n === item.options.length + 1) focusOther(form.current, step);
    } else return;
    event.preventDefault();
    // Nor another card that hears the page.
    event.stopImmediatePropagation();
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => handleKey(event);
    // Before the composer hears it: an empty one would write the number.
    document.addEventListener('keydown', onKey, { capture: true });
    return () => document.removeEventListener('keydown', onKey, { capture: true });
  }, []);
}

function isNumberOf(key: string, item: QuestionItem): boolean {
  return /^[1-9]$/.test(key) && Number(key) <= item.options.length + 1;
}

function isForCard(event: KeyboardEvent, form: HTMLFormElement | null, takesPageKeys: boolean): boolean {
  const { target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return false;
  if (!form || !(target instanceof HTMLElement)) return false;
  if (document.querySelector('[role="dialog"], [role="menu"]')) return false;
  const isComposer = target.matches('[data-composer]');
  if (
    !isComposer &&
    target.closest('textarea, select, [contenteditable], input:not([type="radio"], [type="checkbox"])')
  )
    return false;
  if (form.contains(target)) return true;
  // Also the list or row that the card stands in, which has the focus after it was scrolled or moved to.
  return takesPageKeys && isComposerEmpty() && (isComposer || target.contains(form));
}

function isComposerEmpty(): boolean {
  const composer = document.querySelector<HTMLTextAreaElement>('[data-composer]');
  return composer === null || composer.value === '';
}

function focusOther(form: HTMLFormElement | null, step: number): void {
  // At once: the next key belongs to the text already.
  form?.querySelector<HTMLTextAreaElement>(`[data-step="${step}"] textarea`)?.focus({ preventScroll: true });
}
