import type { Question } from '@aizuchi/shared/contract/question';
import type {
  ApprovalRequestFrame,
  ApprovalResolvedFrame,
  CardFrame,
  ProjectFrameBody,
  QuestionResolvedFrame,
  UserQuestionFrame,
} from '@aizuchi/shared/contract/ws';
import type { ApprovalNews } from '@aizuchi/shared/core/approvals/approval-service';

/** The frame of a card as in seed 003: the question while it is pending, its outcome afterwards. */
export function toQuestionFrame(question: Question): UserQuestionFrame | QuestionResolvedFrame {
  const { toolUseId, agentId, questions, status } = question;
  if (status === 'pending')
    return {
      type: 'user_question',
      tool_use_id: toolUseId,
      agent_id: agentId,
      questions,
      ...timesOf(question),
    };
  return {
    type: 'question_resolved',
    tool_use_id: toolUseId,
    agent_id: agentId,
    status,
    ...(question.answers !== undefined && { answers: question.answers }),
    ...(question.answeredBy !== undefined && { answered_by: question.answeredBy }),
    ...(question.answeredByName !== undefined && { answered_by_name: question.answeredByName }),
  };
}

/** The same for a request for permission. */
export function toApprovalFrame(approval: ApprovalNews): ApprovalRequestFrame | ApprovalResolvedFrame {
  const { id, agentId, tool, kind, summary, status } = approval;
  const named = { id, tool_use_id: id, agent_id: agentId };
  if (status === 'pending')
    return {
      type: 'approval_request',
      ...named,
      tool,
      kind,
      summary,
      ...('input' in approval && { input: approval.input }),
      ...timesOf(approval),
    };
  return {
    type: 'approval_resolved',
    ...named,
    status,
    ...(approval.note !== undefined && { note: approval.note }),
    ...(approval.decidedBy !== undefined && { decided_by: approval.decidedBy }),
    ...(approval.decidedByName !== undefined && { decided_by_name: approval.decidedByName }),
  };
}

export function isCardFrame(body: ProjectFrameBody): body is CardFrame {
  return CARDS.has(body.type);
}

/** Whether it says that a card is pending. */
export function isPendingCard({ type }: ProjectFrameBody): boolean {
  return type === 'user_question' || type === 'approval_request';
}

const CARDS: ReadonlySet<string> = new Set<CardFrame['type']>([
  'user_question',
  'question_resolved',
  'approval_request',
  'approval_resolved',
]);

/**
 * The cards that one socket was sent. A new subscriber gets every pending card from the tables, and the log may hold
 * an entry about the same card: no frame is sent twice, and no card is shown as pending again after it was resolved.
 */
export class SentCards {
  readonly #last = new Map<string, CardFrame['type']>();

  /** True if the frame was not sent before; it counts as sent from now on. */
  isNew(body: ProjectFrameBody): boolean {
    if (!isCardFrame(body)) return true;
    const card = `${body.type.startsWith('approval') ? 'approval' : 'question'} ${body.tool_use_id}`;
    const last = this.#last.get(card);
    if (last === body.type || last === 'question_resolved' || last === 'approval_resolved') return false;
    this.#last.set(card, body.type);
    return true;
  }
}

function timesOf({ createdAt, expiresAt }: Pick<Question, 'createdAt' | 'expiresAt'>) {
  return {
    timestamp: epochSeconds(createdAt),
    ...(expiresAt !== undefined && { expires_at: epochSeconds(expiresAt) }),
  };
}

function epochSeconds(instant: string): number {
  return Math.floor(Date.parse(instant) / 1_000);
}
