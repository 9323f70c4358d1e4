import type { Task, TaskAttempt } from '@aizuchi/shared/contract/task';
import { useTranslation } from 'react-i18next';
import { useNameOf } from '../../../../lib/queries/use-name-of.ts';
import { AnswerBody } from '../../../chat/message/AnswerBody.tsx';
import { ChatStepsProvider } from '../../../chat/steps/chat-steps.tsx';
import { FoldedSteps } from '../../../chat/steps/FoldedSteps.tsx';
import { StepList } from '../../../chat/steps/StepList.tsx';
import { useAttemptLive } from './use-attempt-live.ts';

interface AttemptProps {
  readonly task: Pick<Task, 'id' | 'projectId'>;
  readonly attempt: TaskAttempt;
}

/** What the agent does now: its steps and what it writes, as the chat shows an answer that grows. */
export function LiveAttempt({ task, attempt }: AttemptProps) {
  const { t } = useTranslation();
  const name = useNameOf()(attempt.agentId);
  const { live, steps } = useAttemptLive(nameOf({ task, attempt }), true);
  const count = live.steps.steps.length;
  const text = live.text?.text ?? '';
  return (
    <div data-testid="task-live" className="flex min-w-0 flex-col gap-1 empty:hidden">
      <ChatStepsProvider value={steps}>
        <p role="status" className="sr-only empty:hidden">
          {count > 0 && t('chat.steps.count', { count })}
        </p>
        {count > 0 && <StepList messageId={keyOf(task, attempt)} name={name} answer={live.steps} isWorking />}
        {text !== '' && (
          <section aria-label={t('task.writes', { name })} aria-busy="true">
            <AnswerBody text={text} isStreaming />
          </section>
        )}
      </ChatStepsProvider>
    </div>
  );
}

/** The steps of an attempt that has ended: one line, which opens all. */
export function AttemptSteps({ task, attempt }: AttemptProps) {
  const name = useNameOf()(attempt.agentId);
  const { live, steps } = useAttemptLive(nameOf({ task, attempt }), false);
  const { startedAt, endedAt, steps: count = 0 } = attempt;
  return (
    <ChatStepsProvider value={steps}>
      <FoldedSteps
        messageId={keyOf(task, attempt)}
        name={name}
        count={count}
        answer={live.steps}
        tookMs={endedAt === undefined ? undefined : Date.parse(endedAt) - Date.parse(startedAt)}
      />
    </ChatStepsProvider>
  );
}

function nameOf({ task: { id: taskId, projectId }, attempt: { n } }: AttemptProps) {
  return { projectId, taskId, n };
}

function keyOf({ id }: AttemptProps['task'], { n }: TaskAttempt): string {
  return `${id}-${n}`;
}
