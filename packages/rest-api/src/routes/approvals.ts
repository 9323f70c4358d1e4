import type { RestContext } from '../context.ts';
import type { HandlersOf } from '../plugins/route-table.ts';

type Names = 'listApprovals' | 'decideApproval';

export function approvalRoutes({ approvals }: RestContext): HandlersOf<Names> {
  return {
    listApprovals: ({ person, params, query }) => approvals.list(person, params.pid, query),
    decideApproval: ({ person, params, body }) => approvals.decide(person, params.id, body),
  };
}
