import type { Question } from '@aizuchi/shared/contract/question';
import { type FormEvent, useRef } from 'react';
import { useStore } from '../../lib/store.ts';
import { type Draft, isAnswered, isComplete } from './draft.ts';
import { draftStore } from './draft-store.ts';
import { useCardKeys } from './use-card-keys.ts';
import { useAnswer } from './use-questions.ts';
import { useVisibleCard } from './visible-cards.ts';

interface QuestionCardInput {
  readonly card: Question;
  readonly isReadOnly: boolean;
  readonly takesPageKeys: boolean;
}

/** The draft of the answers, the current step, the keys, and sending. */
export function useQuestionCard({ card, isReadOnly, takesPageKeys }: QuestionCardInput) {
  const { toolUseId, questions } = card;
  const form = useRef<HTMLFormElement>(null);
  const store = draftStore(toolUseId);
  const draft = useStore(store);
  const answer = useAnswer(card);
  const isDisabled = isReadOnly || answer.isSending;
  const step = Math.min(draft.step, questions.length - 1);
  const current = questions[step];
  const isLast = step === questions.length - 1;
  const isReady = isComplete(draft, questions);
  const canGoOn = isReady || (isAnswered(draft, step) && !isLast);
  const change = (next: Draft) => store.set(next);
  const goTo = (next: number) => {
    change({ ...draft, step: next });
    focusStep(form.current, next);
  };
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    if (isDisabled) return;
    if (isReady) answer.send(draft);
    else if (canGoOn) goTo(step + 1);
  };
  useVisibleCard(toolUseId, form);
  useCardKeys({
    form,
    takesPageKeys,
    isDisabled,
    item: current,
    step,
    draft,
    onChange: change,
    onSubmit: submit,
  });
  return {
    form,
    draft,
    answer,
    isDisabled,
    step,
    current,
    isLast,
    isReady,
    canGoOn,
    change,
    goTo,
    /** The step was changed by scrolling: the focus stays. */
    onScrolledTo: (next: number) => change({ ...store.get(), step: next }),
    submit,
  };
}

/** Moves the focus to the new step when it was inside of the card; a person who writes in the composer keeps it. */
function focusStep(form: HTMLFormElement | null, step: number): void {
  if (!form?.contains(document.activeElement)) return;
  const inputs = form.querySelectorAll<HTMLInputElement>(`[data-step="${step}"] input`);
  const chosen = [...inputs].find(({ checked }) => checked);
  (chosen ?? inputs[0])?.focus({ preventScroll: true });
}
