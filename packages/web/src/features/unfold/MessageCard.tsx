import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Icon } from '../../components/Icon.tsx';
import { Time } from '../../components/Time.tsx';
import { callApi } from '../../lib/api/call-api.ts';
import { keys } from '../../lib/queries/keys.ts';
import type { MessageLink } from './product-link.ts';
import { firstLineOf, readMessage } from './read-message.ts';
import { CARD, FRESH_MS } from './unfolded-card.ts';

interface MessageCardProps {
  readonly link: MessageLink;
  /** As in `UnfoldedLink`. */
  readonly children: ReactNode;
}

/** A link to a message of a chat: who wrote it, how it begins, and when. */
export function MessageCard({ link: { projectId, agentId, id }, children }: MessageCardProps) {
  const { data: message } = useQuery({
    queryKey: [...keys.project(projectId), 'message', agentId, id],
    queryFn: ({ signal }) =>
      readMessage(
        (query) => callApi('listMessages', { params: { pid: projectId, aid: agentId }, query, signal }),
        id,
      ),
    staleTime: FRESH_MS,
    retry: false,
  });
  if (!message) return children;
  return (
    <Link
      to="/projects/$projectId"
      params={{ projectId }}
      search={{ agent: agentId, message: id }}
      data-testid={`unfolded-${id}`}
      className={CARD}
    >
      <Icon name="talk" size={14} className="flex-none text-ink-3" />
      <span className="max-w-40 flex-none truncate text-12 text-ink-2">{message.senderName}</span>
      <span className="min-w-0 truncate">{firstLineOf(message.content)}</span>
      <Time at={message.createdAt} className="num flex-none text-12 text-ink-2" />
    </Link>
  );
}
