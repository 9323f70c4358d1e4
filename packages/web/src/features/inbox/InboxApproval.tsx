import type { Approval } from '@aizuchi/shared/contract/approval';
import type { InboxItem } from '@aizuchi/shared/contract/inbox';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Spinner } from '../../components/Spinner.tsx';
import { cardsOf } from '../../lib/live/card-pages.ts';
import { approvalsQuery } from '../../lib/queries/queries.ts';
import { ApprovalRow } from '../approvals/ApprovalRow.tsx';

/** A card that is answered in its row. */
export interface InboxCardState {
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

export interface InboxApprovalState extends InboxCardState {
  readonly approval: Approval | undefined;
}

/** The approval of a row; only the oldest pending card is unfolded initially. */
export function useInboxApproval(
  { kind, projectId, agentId = '', refId }: InboxItem,
  isFirst: boolean,
): InboxApprovalState {
  const [chosen, setChosen] = useState<boolean>();
  const { data, isFetching, refetch } = useInfiniteQuery({
    ...approvalsQuery(projectId, agentId),
    enabled: kind === 'approval' && agentId !== '',
  });
  const approval = cardsOf(data).find(({ id }) => id === refId);
  const isMissing = kind === 'approval' && data !== undefined && approval === undefined;
  useEffect(() => {
    // It was asked while this tab did not follow its project. Only once.
    if (isMissing) void refetch();
  }, [isMissing, refetch]);
  const isOpen = chosen ?? isFirst;
  return {
    approval: isFetching && isMissing ? undefined : approval,
    isOpen,
    onToggle: () => setChosen(!isOpen),
  };
}

export function InboxApproval({
  agentName,
  approval,
  isOpen,
}: InboxApprovalState & { readonly agentName: string }) {
  if (!isOpen && (!approval || approval.status === 'pending')) return null;
  return (
    <div className="px-4 pb-4 sm:pl-12">
      <div className="max-w-[640px]">
        {approval ? <ApprovalRow approval={approval} agentName={agentName} /> : <Spinner />}
      </div>
    </div>
  );
}
