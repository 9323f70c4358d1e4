import type { Agent } from '@aizuchi/shared/contract/agent';
import { Link } from '@tanstack/react-router';
import clsx from 'clsx';
import { useTranslation } from 'react-i18next';
import { buttonClass } from '../../../components/Button.tsx';
import { Icon } from '../../../components/Icon.tsx';
import { UsageLine } from '../../chat/message/UsageLine.tsx';
import type { Hello } from './hello.ts';
import { saysWord } from './hello-view.ts';

interface HelloEndProps {
  readonly hello: Hello;
  readonly agent: Agent;
  readonly projectId: string;
}

/** What the agent answered, and the way to its chat. The built-in agent has no model that could say the word. */
export function HelloEnd({ hello, agent, projectId }: HelloEndProps) {
  const { t } = useTranslation();
  const { answer, sent } = hello;
  if (!sent) return null;
  const isSuspect = answer && agent.provider !== 'builtin' && !saysWord(hello);
  return (
    <div className="flex flex-col gap-2 border-t border-line px-3 py-2">
      {answer && (
        <blockquote
          data-testid="hello-answer"
          className={clsx(
            'others-text rounded-sm border px-3 py-2 text-12 wrap-anywhere whitespace-pre-wrap',
            isSuspect ? 'border-amber-line bg-amber-soft' : 'border-line bg-canvas',
          )}
        >
          <p className="line-clamp-6">{answer.content}</p>
        </blockquote>
      )}
      {isSuspect && (
        <p className="text-12 text-pretty text-amber-ink" data-testid="hello-suspect">
          {t('hello.otherAnswer', { word: hello.word })}
        </p>
      )}
      <div className="flex flex-wrap items-center justify-between gap-2">
        {answer ? <UsageLine message={answer} tookMs={undefined} /> : <span />}
        <Link
          to="/projects/$projectId"
          params={{ projectId }}
          search={{ agent: agent.id }}
          className={buttonClass({ size: 'sm' })}
          data-testid="hello-chat"
        >
          <Icon name="comment" size={14} />
          {t('hello.toChat')}
        </Link>
      </div>
    </div>
  );
}
