import type { ClientFrame } from '@aizuchi/shared/contract/ws';
import type { Person } from '@aizuchi/shared/core/access/person';
import type { QuestionService } from '@aizuchi/shared/core/questions/question-service';
import { AppError } from '@aizuchi/shared/platform/errors';

type AnswerFrame = Extract<ClientFrame, { type: 'question_answer' }>;

/**
 * Handles an answer that came over the socket. The refusals are those of seed 003: no card is pending any more, or
 * another card is pending.
 */
export async function answerQuestion(
  questions: Pick<QuestionService, 'answer' | 'byIds' | 'isAnyPending'>,
  person: Person,
  frame: AnswerFrame,
): Promise<void> {
  try {
    await questions.answer(person, frame.tool_use_id, frame.answers);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code !== 'question_not_found' && error.code !== 'question_already_answered') throw error;
    // For a resolved card, pending cards of its own chat count; for an unknown id, all pending cards that the person
    // may see.
    const card = (await questions.byIds([frame.tool_use_id])).get(frame.tool_use_id);
    const place = error.code === 'question_not_found' ? undefined : card;
    throw (await questions.isAnyPending(person, place))
      ? new AppError('tool_use_id_mismatch', error.message)
      : new AppError('no_pending_question', error.message);
  }
}
