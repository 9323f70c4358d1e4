import { Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { type AnswerSteps, stepMs } from './answer-steps.ts';
import { useOpened } from './chat-steps.tsx';
import { DiffCount } from './lazy-diff.ts';
import { hasDetail, StepDetail } from './StepDetail.tsx';
import { STEP_ICONS, StepRow } from './StepRow.tsx';
import { StepSummaryText } from './StepSummary.tsx';
import { StepTime } from './StepTime.tsx';
import { StepTitle } from './StepTitle.tsx';
import { foldOlder, lastEdit, linesOf, type StepLine } from './step-lines.ts';

interface StepListProps {
  readonly messageId: string;
  readonly name: string;
  readonly answer: AnswerSteps;
  /** While the agent works older lines are folded, and the last edit stands open. */
  readonly isWorking: boolean;
}

/** The steps of an answer in true order, as quiet lines on one hairline. */
export function StepList({ messageId, name, answer, isWorking }: StepListProps) {
  const { t } = useTranslation();
  const lines = linesOf(answer.steps);
  const { folded, shown } = isWorking ? foldOlder(lines) : { folded: [], shown: lines };
  const openKey = isWorking ? lastEdit(lines) : undefined;
  const rowOf = (line: StepLine) => (
    <li key={line.key}>
      <LineRow messageId={messageId} line={line} answer={answer} isOpenByDefault={line.key === openKey} />
    </li>
  );
  return (
    <ul
      // Not each line is read aloud: a status says how many there are.
      aria-live="off"
      aria-label={t('chat.steps.label', { name })}
      data-testid={`chat-steps-${messageId}`}
      className="relative mb-1 flex min-w-0 flex-col before:absolute before:top-3 before:bottom-3 before:left-[7px] before:w-px before:bg-line"
    >
      {folded.length > 0 && (
        <li>
          <OlderLines messageId={messageId} lines={folded}>
            {folded.map(rowOf)}
          </OlderLines>
        </li>
      )}
      {shown.map(rowOf)}
    </ul>
  );
}

interface OlderLinesProps {
  readonly messageId: string;
  readonly lines: readonly StepLine[];
  readonly children: React.ReactNode;
}

function OlderLines({ messageId, lines, children }: OlderLinesProps) {
  const [isOpen, toggle] = useOpened(`${messageId} older`);
  const steps = lines.flatMap((line) => line.steps);
  return (
    <StepRow
      icon="check"
      testId={`chat-steps-older-${messageId}`}
      title={<StepSummaryText steps={steps} count={steps.length} />}
      time={null}
      isOpen={isOpen}
      onToggle={toggle}
    >
      {() => <ul className="-ml-5.5 flex flex-col">{children}</ul>}
    </StepRow>
  );
}

/** A shorter time says nothing. */
const SHORTEST_MS = 100;

interface LineRowProps {
  readonly messageId: string;
  readonly line: StepLine;
  readonly answer: AnswerSteps;
  readonly isOpenByDefault: boolean;
}

function LineRow({ messageId, line, answer, isOpenByDefault }: LineRowProps) {
  const { steps, kind, status, key } = line;
  const [isOpen, toggle] = useOpened(`${messageId} ${key}`, isOpenByDefault);
  const isRunning = status === 'running';
  const known = steps.flatMap(({ id }) => stepMs(answer, id, Date.now()) ?? []);
  const sum = known.reduce((sum, one) => sum + one, 0);
  const ms = isRunning || sum < SHORTEST_MS ? undefined : sum;
  const since = isRunning ? answer.times[steps.at(-1)?.id ?? '']?.from : undefined;
  const diffs = steps.flatMap(({ diff }) => diff ?? []);
  const isThought = kind === 'thought';
  return (
    <StepRow
      icon={isRunning ? undefined : STEP_ICONS[kind]}
      isFailed={status === 'failed'}
      testId={`chat-step-${key}`}
      title={
        <>
          <StepTitle line={line} ms={ms} />
          {diffs.length > 0 && (
            <Suspense>
              <DiffCount diffs={diffs} />
            </Suspense>
          )}
        </>
      }
      time={<StepTime ms={isThought ? undefined : ms} {...(since !== undefined && { since })} />}
      isOpen={isOpen}
      onToggle={toggle}
    >
      {hasDetail(line) ? () => <StepDetail line={line} /> : undefined}
    </StepRow>
  );
}
