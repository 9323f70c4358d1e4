import type { Question } from '@aizuchi/shared/contract/question';
import type { ProjectFrameBody, QuestionResolvedFrame, UserQuestionFrame } from '@aizuchi/shared/contract/ws';

/** The frame of a card as in seed 003: the question while it is pending, its outcome afterwards. */
export function toQuestionFrame(question: Question): UserQuestionFrame | QuestionResolvedFrame {
  const { toolUseId, agentId, questions, status } = question;
  if (status === 'pending')
    return {
      type: 'user_question',
      tool_use_id: toolUseId,
      agent_id: agentId,
      questions,
      timestamp: epochSeconds(question.createdAt),
      ...(question.expiresAt !== undefined && { expires_at: epochSeconds(question.expiresAt) }),
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

/**
 * The cards that one socket was sent. A new subscriber gets every pending card from the tables, and the log may hold
 * an entry about the same card: no frame is sent twice, and no card is shown as pending again after it was resolved.
 */
export class SentQuestions {
  readonly #last = new Map<string, string>();

  /** True if the frame was not sent before; it counts as sent from now on. */
  isNew(body: ProjectFrameBody): boolean {
    if (body.type !== 'user_question' && body.type !== 'question_resolved') return true;
    const last = this.#last.get(body.tool_use_id);
    if (last === body.type || last === 'question_resolved') return false;
    this.#last.set(body.tool_use_id, body.type);
    return true;
  }
}

function epochSeconds(instant: string): number {
  return Math.floor(Date.parse(instant) / 1_000);
}
