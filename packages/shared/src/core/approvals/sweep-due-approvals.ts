import { cardDeadlinesSql } from '../cards/card-deadlines.ts';
import type { DueCard } from '../cards/card-queries.ts';
import { rowStep } from '../sweep-step.ts';
import { ApprovalService } from './approval-service.ts';

/** Times out requests on which nobody decided, cancels those that no session took over. */
export const dueApprovals = rowStep<DueCard>({
  deadlines: cardDeadlinesSql('approvals', 'created_at'),
  candidates: ({ deps }, after, limit) => new ApprovalService(deps).due({ after, limit }),
  nameOf: ({ toolUseId }) => toolUseId,
  act: ({ deps }, { toolUseId }) => new ApprovalService(deps).expireOrCancel(toolUseId),
});
