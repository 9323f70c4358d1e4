import type { Agent } from '@aizuchi/shared/contract/agent';
import type { Task } from '@aizuchi/shared/contract/task';
import { isClosed } from '@aizuchi/shared/core/tasks/rules/task-status';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../../components/Button.tsx';
import { ErrorNote } from '../../../../components/ErrorNote.tsx';
import { useAskToSplit, useOpenProposal } from './use-proposal.ts';

interface AskToSplitProps {
  readonly task: Task;
  readonly members: readonly Agent[];
}

/** Asks the agent of an open task to split it, while nobody has proposed anything. */
export function AskToSplit({ task, members }: AskToSplitProps) {
  const agent = members.find(({ id, type }) => id === task.assigneeId && type === 'ai');
  const isOpen = !isClosed(task.status);
  const isProposed = useOpenProposal(task.projectId, task.id) !== undefined;
  return agent && isOpen && !isProposed ? <Ask task={task} agent={agent} /> : null;
}

function Ask({ task, agent }: { readonly task: Task; readonly agent: Agent }) {
  const { t } = useTranslation();
  const asking = useAskToSplit(task, agent);
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button
        size="sm"
        icon="bulb"
        data-testid="task-ask-split"
        isBusy={asking.isPending}
        disabled={asking.isSuccess}
        onClick={() => asking.mutate()}
      >
        {t('task.split.ask')}
      </Button>
      <p role="status" className="text-12 text-ink-2 empty:hidden">
        {asking.isSuccess && t('task.split.asked', { name: agent.name })}
      </p>
      {asking.error && <ErrorNote error={asking.error} />}
    </div>
  );
}
