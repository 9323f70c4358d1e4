import type { Approval } from '../../contract/approval.ts';
import { policyNote } from '../../platform/texts/approval-texts.ts';
import type { Locale } from '../../platform/texts/locale.ts';
import { expiresAt } from '../cards/rules/card-machine.ts';
import type { ApprovalRecord } from './approval-queries.ts';

/** An approval as people see it, without its input. */
export type ApprovalSummary = Omit<Approval, 'input'>;

export function summaryOf(
  approval: ApprovalRecord,
  { locale, timeoutMs }: { readonly locale: Locale; readonly timeoutMs: number },
): ApprovalSummary {
  const expires = approval.state === 'pending' ? expiresAt(approval, timeoutMs) : null;
  const note = noteOf(approval, locale);
  return {
    id: approval.toolUseId,
    projectId: approval.projectId,
    agentId: approval.agentId,
    tool: approval.tool,
    kind: approval.kind,
    summary: approval.summary,
    ...(approval.sessionScope !== null && { sessionScope: approval.sessionScope }),
    ...(approval.inputCut && { inputCut: true }),
    status: approval.state,
    ...(note !== null && { note }),
    ...(approval.decidedBy !== null && { decidedBy: approval.decidedBy }),
    ...(approval.decidedByName !== null && { decidedByName: approval.decidedByName }),
    ...(approval.policy !== null && { policy: approval.policy }),
    createdAt: approval.createdAt.toISOString(),
    ...(expires !== null && { expiresAt: expires.toISOString() }),
    ...(approval.resolvedAt !== null && { resolvedAt: approval.resolvedAt.toISOString() }),
    ...(approval.cancelReason !== null && { cancelReason: approval.cancelReason }),
  };
}

/** What a person wrote with the decision, or which policy has decided. */
export function noteOf({ note, policy }: ApprovalRecord, locale: Locale): string | null {
  return policy === null ? note : policyNote(locale, policy);
}
