import type { Approval } from '@aizuchi/shared/contract/approval';
import { type CardPages, withChange } from './card-pages.ts';
import type { LiveFrame } from './wire.ts';

export type ApprovalPages = CardPages<Approval>;

type RequestFrame = Extract<LiveFrame, { type: 'approval_request' }>;
type ResolvedFrame = Extract<LiveFrame, { type: 'approval_resolved' }>;

/** Undefined: the input is too large for a frame, and is read by REST. A person never decides without it. */
export function approvalOf({ projectId, ...frame }: RequestFrame): Approval | undefined {
  const { id, agent_id, tool, kind, summary, timestamp, expires_at } = frame;
  if (!('input' in frame)) return undefined;
  return {
    id,
    projectId,
    agentId: agent_id,
    tool,
    kind,
    summary,
    input: frame.input,
    status: 'pending',
    // The frame has whole seconds: it is sorted after everything of the same second.
    createdAt: instant(timestamp + 0.999),
    ...(expires_at !== undefined && { expiresAt: instant(expires_at) }),
  };
}

export function withDecision(data: ApprovalPages, frame: ResolvedFrame): ApprovalPages {
  const { id, status, note, decided_by, decided_by_name } = frame;
  return withChange(data, id, (approval) => ({
    ...approval,
    status,
    ...(note !== undefined && { note }),
    ...(decided_by !== undefined && { decidedBy: decided_by }),
    ...(decided_by_name !== undefined && { decidedByName: decided_by_name }),
  }));
}

const instant = (epochSeconds: number) => new Date(epochSeconds * 1_000).toISOString();
