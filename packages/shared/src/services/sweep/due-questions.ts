import type { DueFollower, DueQuestion } from '../../db/repositories/question-repository.ts';
import { QuestionRepository } from '../../db/repositories/question-repository.ts';
import { tellStopped } from '../conversation-go-on.ts';
import { rowStep } from './sweep-step.ts';

const nameOf = ({ toolUseId }: { toolUseId: string }) => toolUseId;

/** Times out what nobody answered, cancels what no session took over. */
export const dueQuestions = rowStep<DueQuestion>({
  candidates: ({ questions }, after, limit) => questions.due({ after, limit }),
  nameOf,
  act: ({ questions }, { toolUseId }) => questions.settleInTime(toolUseId),
});

/** What people said of a chain, to each agent that waits for it. */
export const dueFollowers = rowStep<DueFollower>({
  candidates: ({ deps }, after, limit) =>
    new QuestionRepository(deps.database.db).followersDue({ after, limit }),
  nameOf,
  act: ({ deps }, waiting) => tellStopped(deps, waiting),
});
