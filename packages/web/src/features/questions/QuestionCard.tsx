import type { Question } from '@aizuchi/shared/contract/question';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../components/Button.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Icon } from '../../components/Icon.tsx';
import { KeyCap } from '../../components/KeyCap.tsx';
import { Deadline } from './Deadline.tsx';
import { isAnswered } from './draft.ts';
import { QuestionStep } from './QuestionStep.tsx';
import { StepDots } from './StepDots.tsx';
import { StepScroller } from './StepScroller.tsx';
import { useQuestionCard } from './use-question-card.ts';

export interface QuestionCardProps {
  readonly card: Question;
  /** The name of the agent that asks. */
  readonly agentName: string;
  readonly isReadOnly: boolean;
  /** The card also takes keys that are pressed outside of it and that nothing else on the page handles. */
  readonly takesPageKeys?: boolean;
  /** The text that is already shown above the card. */
  readonly title?: string | undefined;
}

type CardState = ReturnType<typeof useQuestionCard>;

/** A card that waits for an answer: its questions are steps side by side, sent together when all are answered. */
export function QuestionCard({
  card,
  agentName,
  isReadOnly,
  takesPageKeys = false,
  title,
}: QuestionCardProps) {
  const { t } = useTranslation();
  const state = useQuestionCard({ card, isReadOnly, takesPageKeys });
  const { draft, step, answer } = state;
  return (
    <form
      ref={state.form}
      onSubmit={state.submit}
      aria-label={t('questions.cardOf', { name: agentName })}
      data-testid="question-card"
      data-status="pending"
      data-question={card.toolUseId}
      className="rounded-md border border-ask-line bg-ask-soft"
    >
      <Head card={card} state={state} />
      <StepScroller step={step} onStep={state.onScrolledTo}>
        {card.questions.map((item, index) => (
          <QuestionStep
            key={item.question}
            item={item}
            index={index}
            draft={draft}
            isDisabled={state.isDisabled}
            isTitled={item.question === title}
            onChange={state.change}
            onEnter={state.submit}
          />
        ))}
      </StepScroller>
      {answer.error && (
        <ErrorNote error={answer.error} title={t('questions.notSent')} className="mx-2 mt-2" />
      )}
      <Foot state={state} isReadOnly={isReadOnly} />
    </form>
  );
}

function Head({ card, state }: { readonly card: Question; readonly state: CardState }) {
  const { questions, expiresAt } = card;
  return (
    <div className="num flex items-center gap-2 px-3 pt-2.5 text-12 text-ink-2">
      <span className="inline-flex h-5 flex-none items-center rounded-sm bg-ask px-1.5 font-medium text-on-ask">
        {state.current?.header}
      </span>
      {questions.length > 1 && (
        <StepDots
          headers={questions.map(({ header }) => header)}
          step={state.step}
          isDone={(index) => isAnswered(state.draft, index)}
          onStep={state.goTo}
        />
      )}
      <span className="flex-1" />
      {expiresAt !== undefined && <Deadline at={expiresAt} />}
    </div>
  );
}

function Foot({ state, isReadOnly }: { readonly state: CardState; readonly isReadOnly: boolean }) {
  const { t } = useTranslation();
  const stateId = `${useId()}-state`;
  const { answer, current, step, isReady, isLast } = state;
  const sendsAll = isReady || isLast;
  return (
    <div className="flex min-h-11 items-center gap-2 py-2 pr-2 pl-3 text-12 text-ink-2">
      <div id={stateId} role="status" className="min-w-0 flex-1">
        {isReadOnly ? (
          t('questions.readOnly')
        ) : answer.isRetrying ? (
          t('questions.retrying')
        ) : (
          <Hint count={(current?.options.length ?? 0) + 1} isMany={current?.multiSelect ?? false} />
        )}
      </div>
      {step > 0 && (
        <Button variant="quiet" onClick={() => state.goTo(step - 1)}>
          {t('questions.back')}
        </Button>
      )}
      <Button
        type="submit"
        variant="ask"
        data-testid="question-submit"
        disabled={isReadOnly || !state.canGoOn}
        isBusy={answer.isSending}
        aria-describedby={stateId}
      >
        {sendsAll ? t('questions.answer') : t('questions.next')}
        {sendsAll && !answer.isSending && <Icon name="check" size={14} className="-mr-0.5" />}
      </Button>
    </div>
  );
}

/** Which number keys choose an option. */
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
