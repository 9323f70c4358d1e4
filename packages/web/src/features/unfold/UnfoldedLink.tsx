import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../components/Icon.tsx';
import { callApi } from '../../lib/api/call-api.ts';
import { useBesideChat } from '../../lib/hooks/use-beside-chat.ts';
import { keys } from '../../lib/queries/keys.ts';
import { useNameOf } from '../../lib/queries/use-name-of.ts';
import { StatusIcon } from '../board/card/StatusIcon.tsx';
import { statusOf } from '../runs/run-status.ts';
import { MessageCard } from './MessageCard.tsx';
import type { MessageLink, ProductLink } from './product-link.ts';
import { CARD, FRESH_MS } from './unfolded-card.ts';

interface UnfoldedLinkProps {
  readonly link: ProductLink;
  /** The link as it was written: while it is read, and when the reader may not see where it leads. */
  readonly children: ReactNode;
}

/** A link to a task, a run or a message as a card within the line, with its title and state. */
export function UnfoldedLink({ link, children }: UnfoldedLinkProps) {
  switch (link.kind) {
    case 'task':
      return <TaskCard link={link}>{children}</TaskCard>;
    case 'run':
      return <RunCard link={link}>{children}</RunCard>;
    case 'message':
      return <MessageCard link={link}>{children}</MessageCard>;
  }
}

interface CardProps extends UnfoldedLinkProps {
  readonly link: Exclude<ProductLink, MessageLink>;
}

function TaskCard({ link: { projectId, id }, children }: CardProps) {
  const { t } = useTranslation();
  const { agent } = useBesideChat()(useSearch({ strict: false }));
  const { data: task } = useQuery({
    queryKey: keys.task(projectId, id, 'unfolded'),
    queryFn: ({ signal }) => callApi('getTask', { params: { tid: id }, signal }),
    staleTime: FRESH_MS,
    retry: false,
  });
  if (task?.projectId !== projectId) return children;
  return (
    <Link
      to="/projects/$projectId"
      params={{ projectId }}
      search={{ task: id, ...(agent !== undefined && { agent }) }}
      data-testid={`unfolded-${id}`}
      className={CARD}
    >
      <StatusIcon status={task.status} />
      <span className="min-w-0 truncate">{task.title}</span>
      <span className="flex-none text-12 text-ink-2">{t(`board.status.${task.status}`)}</span>
    </Link>
  );
}

function RunCard({ link: { projectId, id }, children }: CardProps) {
  const { t } = useTranslation();
  const nameOf = useNameOf();
  const { data: run } = useQuery({
    queryKey: [...keys.project(projectId), 'run', id],
    queryFn: ({ signal }) => callApi('getRun', { params: { rid: id }, signal }),
    staleTime: FRESH_MS,
    retry: false,
  });
  if (run?.projectId !== projectId) return children;
  return (
    <Link
      to="/projects/$projectId/runs"
      params={{ projectId }}
      search={{ run: id }}
      data-testid={`unfolded-${id}`}
      className={CARD}
    >
      <Icon name="terminal" size={14} className="text-ink-3" />
      <span className="min-w-0 truncate">{t('chat.runOf', { name: nameOf(run.agentId) })}</span>
      <span className="flex-none text-12 text-ink-2">{t(`runs.state.${statusOf(run)}`)}</span>
    </Link>
  );
}
