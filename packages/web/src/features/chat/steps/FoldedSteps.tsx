import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorNote } from '../../../components/ErrorNote.tsx';
import { PhaseLine } from '../../../components/Spinner.tsx';
import { type AnswerSteps, NO_STEPS } from './answer-steps.ts';
import { useOpened, useStepReader } from './chat-steps.tsx';
import { StepList } from './StepList.tsx';
import { StepRow } from './StepRow.tsx';
import { StepSummaryText } from './StepSummary.tsx';
import { StepTime } from './StepTime.tsx';

interface FoldedStepsProps {
  readonly messageId: string;
  readonly name: string;
  /** As the message says. */
  readonly count: number;
  /** What this tab knows. */
  readonly answer: AnswerSteps | undefined;
  readonly tookMs: number | undefined;
}

/** The steps of a complete answer: one line, which opens all. They are read when it is opened. */
export function FoldedSteps({ messageId, name, count, answer = NO_STEPS, tookMs }: FoldedStepsProps) {
  const [isOpen, toggle] = useOpened(messageId);
  const isWhole = answer.isRead || answer.steps.length >= count;
  return (
    <div aria-live="off" className="flex min-w-0 flex-col">
      <StepRow
        icon="check"
        testId={`chat-steps-toggle-${messageId}`}
        title={<StepSummaryText steps={isWhole ? answer.steps : []} count={count} />}
        time={<StepTime ms={tookMs} />}
        isOpen={isOpen}
        onToggle={toggle}
      >
        {() => (
          <div className="-ml-5.5">
            {isWhole ? (
              <StepList messageId={messageId} name={name} answer={answer} isWorking={false} />
            ) : (
              <Loading messageId={messageId} />
            )}
          </div>
        )}
      </StepRow>
    </div>
  );
}

/** Reads the steps once while it is mounted, again after a failure only when asked. */
function Loading({ messageId }: { readonly messageId: string }) {
  const { t } = useTranslation();
  const read = useStepReader();
  const [error, setError] = useState<unknown>();
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    let isOver = false;
    setError(undefined);
    read(messageId).catch((cause: unknown) => {
      if (!isOver) setError(cause);
    });
    return () => {
      isOver = true;
    };
  }, [read, messageId, attempt]);
  if (error === undefined) return <PhaseLine>{t('chat.steps.loading')}</PhaseLine>;
  return (
    <ErrorNote
      error={error}
      title={t('chat.steps.loadFailed')}
      onRetry={() => setAttempt((before) => before + 1)}
    />
  );
}
