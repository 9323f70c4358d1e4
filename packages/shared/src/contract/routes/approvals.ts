import {
  approvalPageSchema,
  approvalSchema,
  decideApprovalBodySchema,
  listApprovalsQuerySchema,
} from '../approval.ts';
import { approvalId, pid } from './params.ts';
import type { RouteDefinition } from './route.ts';

export const APPROVALS_ROUTES = {
  listApprovals: {
    method: 'GET',
    path: '/api/projects/:pid/approvals',
    caller: 'person',
    tag: 'Approvals',
    summary: 'What agents of a project asked to be allowed, newest first, and what was decided',
    description:
      'Also what the permission policy of the project decided at once (`policy`). A page holds at most 1 MiB of inputs and texts: it may be shorter than `limit`. `nextCursor` is null behind the last one.',
    isLarge: true,
    params: pid,
    query: listApprovalsQuerySchema,
    success: 200,
    response: approvalPageSchema,
  },
  decideApproval: {
    method: 'POST',
    path: '/api/approvals/:id',
    caller: 'writer',
    tag: 'Approvals',
    summary: 'Allow or deny what an agent asks for; the first decision counts',
    description:
      '409 `approval_already_decided`: somebody was faster, its time is over, or nobody waits for it any more; `details.status` says which. `allow_session` is remembered by the agent, until its session ends.',
    params: approvalId,
    body: decideApprovalBodySchema,
    success: 200,
    response: approvalSchema,
  },
} as const satisfies Record<string, RouteDefinition>;
