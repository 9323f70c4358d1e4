import type { Question } from '@aizuchi/shared/contract/question';
import { type FormEvent, useId, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../components/Button.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Icon } from '../../components/Icon.tsx';
import { KeyCap } from '../../components/KeyCap.tsx';
import { useStore } from '../../lib/store.ts';
import { Deadline } from './Deadline.tsx';
import { type Draft, isAnswered, isComplete } from './draft.ts';
import { draftStore } from './draft-store.ts';
import { QuestionStep } from './QuestionStep.tsx';
import { StepDots } from './StepDots.tsx';
import { Steps } from './Steps.tsx';
import { useShownCard } from './shown-cards.ts';
import { useCardKeys } from './use-card-keys.ts';
import { useAnswer } from './use-questions.ts';

interface QuestionCardProps {
  readonly card: Question;
  /** Who asks. */
  readonly agentName: string;
  readonly isReadOnly: boolean;
  /** Keys that nobody else on the page wants are for this card, too. */
  readonly hearsPage?: boolean;
  /** What stands above it already. */
  readonly title?: string | undefined;
}

/** A card that waits for an answer: its questions are steps side by side, sent together when all are answered. */
export function QuestionCard({ card, agentName, isReadOnly, hearsPage = false, title }: QuestionCardProps) {
  const { t } = useTranslation();
  const { toolUseId, questions } = card;
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  const store = draftStore(toolUseId);
  const draft = useStore(store);
  const answer = useAnswer(card);
  const isOff = isReadOnly || answer.isSending;
  const step = Math.min(draft.step, questions.length - 1);
  const current = questions[step];
  const isReady = isComplete(draft, questions);
  const isLast = step === questions.length - 1;
  const change = (next: Draft) => store.set(next);
  const goTo = (next: number) => {
    change({ ...draft, step: next });
    focusStep(form.current, next);
  };
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    if (isOff) return;
    if (isReady) answer.send(draft);
    else if (isAnswered(draft, step) && !isLast) goTo(step + 1);
  };
  useShownCard(toolUseId, form);
  useCardKeys({ form, hearsPage, isOff, item: current, step, draft, onChange: change, onSubmit: submit });
  return (
    <form
      ref={form}
      onSubmit={submit}
      aria-label={t('questions.cardOf', { name: agentName })}
      data-testid="question-card"
      data-status="pending"
      data-question={toolUseId}
      className="rounded-md border border-ask-line bg-ask-soft"
    >
      <div className="num flex items-center gap-2 px-3 pt-2.5 text-12 text-ink-2">
        <span className="inline-flex h-5 flex-none items-center rounded-sm bg-ask px-1.5 font-medium text-on-ask">
          {current?.header}
        </span>
        {questions.length > 1 && (
          <StepDots
            headers={questions.map(({ header }) => header)}
            step={step}
            isDone={(index) => isAnswered(draft, index)}
            onStep={goTo}
          />
        )}
        <span className="flex-1" />
        {card.expiresAt !== undefined && <Deadline at={card.expiresAt} />}
      </div>
      <Steps step={step} onStep={(next) => change({ ...store.get(), step: next })}>
        {questions.map((item, index) => (
          <QuestionStep
            key={item.question}
            item={item}
            index={index}
            draft={draft}
            isOff={isOff}
            isTitled={item.question === title}
            onChange={change}
            onEnter={submit}
          />
        ))}
      </Steps>
      {answer.error && (
        <ErrorNote error={answer.error} title={t('questions.notSent')} className="mx-2 mt-2" />
      )}
      <div className="flex min-h-11 items-center gap-2 py-2 pr-2 pl-3 text-12 text-ink-2">
        <div id={`${id}-state`} role="status" className="min-w-0 flex-1">
          {isReadOnly ? (
            t('questions.readOnly')
          ) : answer.isRetrying ? (
            t('questions.retrying')
          ) : (
            <Hint count={(current?.options.length ?? 0) + 1} isMany={current?.multiSelect ?? false} />
          )}
        </div>
        {step > 0 && (
          <Button variant="quiet" onClick={() => goTo(step - 1)}>
            {t('questions.back')}
          </Button>
        )}
        <Button
          type="submit"
          variant="ask"
          data-testid="question-submit"
          disabled={isReadOnly || !(isReady || (isAnswered(draft, step) && !isLast))}
          isBusy={answer.isSending}
          aria-describedby={`${id}-state`}
        >
          {isReady || isLast ? t('questions.answer') : t('questions.next')}
          {(isReady || isLast) && !answer.isSending && <Icon name="check" size={14} className="-mr-0.5" />}
        </Button>
      </div>
    </form>
  );
}

function Hint({ count, isMany }: { readonly count: number; readonly isMany: boolean }) {
  const { t } = useTranslation();
  return (
    <span className="flex flex-wrap items-center gap-x-2">
      {isMany && <span>{t('questions.many')}</span>}
      <span className="flex items-center gap-1 pointer-coarse:hidden" aria-hidden="true">
        <KeyCap>1</KeyCap>–<KeyCap>{String(count)}</KeyCap>
        {t('questions.toChoose')}
      </span>
    </span>
  );
}

/** Who pressed "Next" goes on there; who clicks with the composer in use keeps writing. */
function focusStep(form: HTMLFormElement | null, step: number): void {
  if (!form?.contains(document.activeElement)) return;
  const inputs = form.querySelectorAll<HTMLInputElement>(`[data-step="${step}"] input`);
  const chosen = [...inputs].find(({ checked }) => checked);
  (chosen ?? inputs[0])?.focus({ preventScroll: true });
}
