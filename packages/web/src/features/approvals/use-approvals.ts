import type { Approval, DecideApprovalBody } from '@aizuchi/shared/contract/approval';
import { useIsMutating, useMutation, useQueryClient } from '@tanstack/react-query';
import { ApiError, isCode } from '../../lib/api/api-error.ts';
import { callApi } from '../../lib/api/call-api.ts';
import { backoffMs } from '../../lib/backoff.ts';
import type { ApprovalPages } from '../../lib/live/approval-pages.ts';
import { withCard } from '../../lib/live/card-pages.ts';
import { patchQuery } from '../../lib/live/patch-query.ts';
import { keys } from '../../lib/queries/keys.ts';
import { approvalsQuery } from '../../lib/queries/queries.ts';
import { useChatCards } from '../../lib/queries/use-chat-cards.ts';
import { forgetRefusal, noteRefused } from './refusal-store.ts';

/**
 * The approvals of one chat, oldest first, as far back as its messages are loaded. What a policy has allowed is left
 * out: its step says it.
 */
export const useChatApprovals = (projectId: string, agentId: string, since: string | undefined) =>
  useChatCards(approvalsQuery(projectId, agentId), since);

/** A decision that the server did not receive is sent again this often; then the person decides anew. */
const RETRIES = 3;
const BACKOFF = { firstMs: 500, longestMs: 2_000 };

/** Sends a decision. When it was decided before, the list is read again, and the line shows by whom. */
export function useDecide({ id, projectId, agentId }: Pick<Approval, 'id' | 'projectId' | 'agentId'>) {
  const client = useQueryClient();
  const mutationKey = ['decide', id];
  const queryKey = keys.approvals(projectId, agentId);
  const isSending = useIsMutating({ mutationKey }) > 0;
  const decision = useMutation({
    mutationKey,
    mutationFn: (body: DecideApprovalBody) => callApi('decideApproval', { params: { id }, body }),
    retry: (failures, error) => failures < RETRIES && error instanceof ApiError && error.isTransient,
    retryDelay: (attempt) => backoffMs(attempt, BACKOFF),
    onSuccess: (approval) => {
      patchQuery<ApprovalPages>(client, queryKey, (pages) => withCard(pages, approval));
      forgetRefusal(id);
    },
    onError: (error, { decision }) => {
      if (!isCode(error, 'approval_already_decided', 'approval_not_found')) return undefined;
      noteRefused(id, decision);
      return client.invalidateQueries({ queryKey });
    },
    onSettled: () => client.invalidateQueries({ queryKey: keys.inbox }),
  });
  return {
    decide: decision.mutate,
    isSending,
    /** Which button was pressed, while its decision is sent. */
    sent: decision.isPending ? decision.variables.decision : undefined,
    error: decision.error,
  };
}
