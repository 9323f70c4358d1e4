import type { ClientFrame } from '@aizuchi/shared/contract/ws';
import type { Person } from '@aizuchi/shared/core/access/person';
import type { QuestionService } from '@aizuchi/shared/core/questions/question-service';
import { AppError } from '@aizuchi/shared/platform/errors';

type AnswerFrame = Extract<ClientFrame, { type: 'question_answer' }>;

/**
 * An answer over the socket. Its refusals are those of seed 003: nothing waits for an answer any more, or something
 * does, but not this.
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
    // A card that was resolved speaks of its own chat; an id that nobody knows, of all that he may see.
    const card = (await questions.byIds([frame.tool_use_id])).get(frame.tool_use_id);
    const place = error.code === 'question_not_found' ? undefined : card;
    throw (await questions.isAnyPending(person, place))
      ? new AppError('tool_use_id_mismatch', error.message)
      : new AppError('no_pending_question', error.message);
  }
}
