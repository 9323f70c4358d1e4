import type { Task, TaskAttempt } from '@aizuchi/shared/contract/task';
import clsx from 'clsx';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../../components/Button.tsx';
import { amountText, costText } from '../../../../lib/amount-text.ts';
import { joined } from '../../../../lib/joined.ts';
import { useNameOf } from '../../../../lib/queries/use-name-of.ts';
import { useNow } from '../../../../lib/time.ts';
import { useDuration } from '../../../runs/run-status.ts';
import { ATTEMPT_LOOKS } from './attempt-looks.ts';
import { AttemptSteps } from './LiveAttempt.tsx';

interface AttemptRowProps {
  readonly task: Task;
  readonly attempt: TaskAttempt;
  readonly isLogOpen: boolean;
  readonly onLog: (runId: string) => void;
}

/** One try of an agent: who, how it ended, how long it took, its log and its steps. */
export function AttemptRow({ task, attempt, isLogOpen, onLog }: AttemptRowProps) {
  const { t } = useTranslation();
  const name = useNameOf()(attempt.agentId);
  const { n, outcome, endedAt, runId } = attempt;
  const isOpen = endedAt === undefined;
  return (
    <li data-testid={`task-attempt-${n}`} className="num py-0.5 text-12">
      <div className="flex min-h-8 items-center gap-3">
        <span className="w-5 flex-none text-right text-ink-3">{n}</span>
        <span
          className={clsx(
            'flex-none font-medium',
            isOpen ? 'text-accent-ink' : ATTEMPT_LOOKS[outcome ?? 'stopped'].tone,
          )}
        >
          {t(isOpen ? 'task.outcome.open' : `task.outcome.${outcome ?? 'stopped'}`)}
        </span>
        <span className="min-w-0 flex-1 truncate text-ink-2">{name}</span>
        <Used usage={attempt.usage} />
        {isOpen ? <Running attempt={attempt} /> : <Took attempt={attempt} />}
        {runId !== undefined && (
          <Button
            size="sm"
            variant="quiet"
            aria-expanded={isLogOpen}
            aria-label={t('task.logOf', { n })}
            onClick={() => onLog(runId)}
          >
            {t('runs.log')}
          </Button>
        )}
      </div>
      {!isOpen && attempt.steps !== undefined && (
        <div className="pl-8">
          <AttemptSteps task={task} attempt={attempt} />
        </div>
      )}
    </li>
  );
}

/** "12.4k tokens · $0.03", as far as it is known. */
function Used({ usage }: Pick<TaskAttempt, 'usage'>) {
  const { t } = useTranslation();
  if (!usage) return null;
  const { inputTokens, outputTokens, costUsd } = usage;
  const amount = amountText(inputTokens + outputTokens);
  return (
    <span className="flex-none text-11 text-ink-3" data-testid="task-attempt-usage">
      {joined([t('chat.usage.tokens', { amount }), costUsd !== undefined && costText(costUsd)])}
    </span>
  );
}

function Running({ attempt }: Pick<AttemptRowProps, 'attempt'>) {
  return useDuration()(attempt, useNow(1_000));
}

function Took({ attempt }: Pick<AttemptRowProps, 'attempt'>) {
  return useDuration()(attempt, new Date(0));
}
