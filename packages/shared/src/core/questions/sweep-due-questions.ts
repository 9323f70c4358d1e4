import { tellStopped } from '../conversations/extend-chain-limit.ts';
import { rowStep } from '../sweep-step.ts';
import type { DueFollower, DueQuestion } from './question-queries.ts';
import { QuestionQueries } from './question-queries.ts';
import { QuestionService } from './question-service.ts';

const nameOf = ({ toolUseId }: { toolUseId: string }) => toolUseId;

/** Times out what nobody answered, cancels what no session took over. */
export const dueQuestions = rowStep<DueQuestion>({
  candidates: ({ deps }, after, limit) => new QuestionService(deps).due({ after, limit }),
  nameOf,
  act: ({ deps }, { toolUseId }) => new QuestionService(deps).settleInTime(toolUseId),
});

/** What people said of a chain, to each agent that waits for it. */
export const dueFollowers = rowStep<DueFollower>({
  candidates: ({ deps }, after, limit) =>
    new QuestionQueries(deps.database.db).followersDue({ after, limit }),
  nameOf,
  act: ({ deps }, waiting) => tellStopped(deps, waiting),
});
