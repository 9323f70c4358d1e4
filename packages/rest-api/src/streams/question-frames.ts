import type { Question } from '@aizuchi/shared/contract/question';
import type { ProjectFrameBody, QuestionResolvedFrame, UserQuestionFrame } from '@aizuchi/shared/contract/ws';

/** A card in the words of seed 003: the question while it waits, then what became of it. */
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
 * What one socket has heard of cards. A new subscriber gets every pending card from the tables, and the log may tell
 * of the same one again: nothing is said twice, and nothing waits again once it is resolved.
 */
export class HeardQuestions {
  readonly #last = new Map<string, string>();

  /** True for what it has not heard; it has now. */
  isNews(body: ProjectFrameBody): boolean {
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
