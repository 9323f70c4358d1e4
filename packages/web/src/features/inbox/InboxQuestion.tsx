import type { InboxItem } from '@aizuchi/shared/contract/inbox';
import type { Question } from '@aizuchi/shared/contract/question';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Spinner } from '../../components/Spinner.tsx';
import { cardsOf } from '../../lib/live/card-pages.ts';
import { meQuery, questionsQuery } from '../../lib/queries/queries.ts';
import { QuestionRow } from '../questions/QuestionRow.tsx';
import type { InboxCardState } from './InboxApproval.tsx';

export interface InboxQuestionState extends InboxCardState {
  readonly card: Question | undefined;
}

/** The card of a row; only the oldest pending one is unfolded initially. */
export function useInboxQuestion(
  { kind, projectId, agentId = '', refId }: InboxItem,
  isFirst: boolean,
): InboxQuestionState {
  const [chosen, setChosen] = useState<boolean>();
  const { data, isFetching, refetch } = useInfiniteQuery({
    ...questionsQuery(projectId, agentId),
    enabled: kind === 'question' && agentId !== '',
  });
  const card = cardsOf(data).find(({ toolUseId }) => toolUseId === refId);
  const isMissing = kind === 'question' && data !== undefined && card === undefined;
  useEffect(() => {
    // It was asked while this tab did not follow its project. Only once: a card older than the list stays missing.
    if (isMissing) void refetch();
  }, [isMissing, refetch]);
  const isOpen = chosen ?? isFirst;
  return { card: isFetching && isMissing ? undefined : card, isOpen, onToggle: () => setChosen(!isOpen) };
}

export function InboxQuestion({
  item,
  agentName,
  card,
  isOpen,
  isFirst,
}: InboxQuestionState & {
  readonly item: InboxItem;
  readonly agentName: string;
  readonly isFirst: boolean;
}) {
  const { data: me } = useQuery(meQuery());
  if (card?.status === 'pending' && !isOpen) return null;
  if (!card && !isOpen) return null;
  return (
    <div className="px-4 pb-4 sm:pl-12">
      <div className="max-w-[640px]">
        {card ? (
          <QuestionRow
            card={card}
            agentName={agentName}
            isReadOnly={me?.accessLevel === 'viewer'}
            takesPageKeys={isFirst}
            title={card.questions.length === 1 ? item.title : undefined}
          />
        ) : (
          <Spinner />
        )}
      </div>
    </div>
  );
}
