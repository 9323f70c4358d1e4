import type { Task } from '@aizuchi/shared/contract/task';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { useNameOf } from '../../../../lib/queries/use-name-of.ts';
import { ApprovalRow } from '../../../approvals/ApprovalRow.tsx';
import { FoldedConversation } from '../../../conversations/FoldedConversation.tsx';
import { QuestionRow } from '../../../questions/QuestionRow.tsx';
import { AttemptRow } from './AttemptRow.tsx';
import { LiveAttempt } from './LiveAttempt.tsx';
import { RunLine } from './RunLine.tsx';
import { RunLogSection } from './RunLogSection.tsx';
import { TaskChanges } from './TaskChanges.tsx';
import { type TaskWorkState, useTaskWork } from './use-task-work.ts';

interface TaskWorkProps {
  readonly task: Task;
  readonly canWrite: boolean;
}

/** The work of agents on the task; nothing while none has begun. */
export function TaskWork({ task, canWrite }: TaskWorkProps) {
  const { t } = useTranslation();
  const id = useId();
  const work = useTaskWork(task);
  const { run, attempts, openRun } = work;
  if (!run && attempts.length === 0) return null;
  return (
    <section aria-labelledby={id} data-testid="task-work" className="flex flex-col gap-3">
      <h3 id={id} className="sr-only">
        {t('task.work')}
      </h3>
      {run && (
        <RunLine
          run={run}
          canStop={canWrite}
          onLog={() => work.toggleRun(run.id)}
          isLogOpen={openRun === run.id}
        />
      )}
      {work.current && <LiveAttempt key={work.current.n} task={task} attempt={work.current} />}
      <OpenCards work={work} canWrite={canWrite} />
      {openRun !== undefined && (
        <RunLogSection
          key={openRun}
          projectId={task.projectId}
          runId={openRun}
          canStop={canWrite}
          onClose={work.closeRun}
        />
      )}
      <TaskChanges projectId={task.projectId} attempts={attempts} canWrite={canWrite} />
      <Attempts task={task} work={work} />
      <Conversations work={work} />
    </section>
  );
}

/** What the agent asks, answered here. */
function OpenCards({ work, canWrite }: { readonly work: TaskWorkState; readonly canWrite: boolean }) {
  const nameOf = useNameOf();
  const { questions, approvals } = work.cards;
  return (
    <>
      {questions.map((card) => (
        <QuestionRow
          key={card.toolUseId}
          card={card}
          agentName={nameOf(card.agentId)}
          isReadOnly={!canWrite}
        />
      ))}
      {approvals.map((approval) => (
        <ApprovalRow key={approval.id} approval={approval} agentName={nameOf(approval.agentId)} />
      ))}
    </>
  );
}

function Attempts({
  task,
  work: { attempts, openRun, toggleRun },
}: {
  readonly task: Task;
  readonly work: TaskWorkState;
}) {
  const { t } = useTranslation();
  if (attempts.length === 0) return null;
  return (
    <div>
      <h4 className="flex h-6 items-center gap-2 text-12 font-semibold">
        {t('task.attempts')}
        <span className="num font-normal text-ink-3">{attempts.length}</span>
      </h4>
      <ol className="max-h-64 divide-y divide-line overflow-y-auto">
        {attempts.map((attempt) => (
          <AttemptRow
            key={attempt.n}
            task={task}
            attempt={attempt}
            isLogOpen={attempt.runId !== undefined && attempt.runId === openRun}
            onLog={toggleRun}
          />
        ))}
      </ol>
    </div>
  );
}

function Conversations({ work: { conversations } }: { readonly work: TaskWorkState }) {
  const { t } = useTranslation();
  if (conversations.length === 0) return null;
  return (
    <div className="flex flex-col gap-1.5">
      <h4 className="flex h-6 items-center text-12 font-semibold">{t('app.tabConversations')}</h4>
      {conversations.map((conversation) => (
        <div key={conversation.id} className="flex flex-col gap-1">
          <FoldedConversation conversation={conversation} agentId={conversation.initiatorAgentId} />
          {conversation.finalMessage !== null && (
            <p className="line-clamp-3 pl-2.5 text-12 whitespace-pre-wrap wrap-anywhere text-ink-2">
              {conversation.finalMessage}
            </p>
          )}
        </div>
      ))}
    </div>
  );
}
