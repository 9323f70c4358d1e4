import { cardDeadlinesSql } from '../cards/card-deadlines.ts';
import type { DueCard } from '../cards/card-queries.ts';
import { tellStopped } from '../conversations/extend-chain-limit.ts';
import { LOOK_TIME_SQL, rowStep } from '../sweep-step.ts';
import { type DueFollower, QuestionQueries } from './question-queries.ts';
import { QuestionService } from './question-service.ts';

const nameOf = ({ toolUseId }: { toolUseId: string }) => toolUseId;

/** Times out cards that nobody answered, cancels those that no session took over. */
export const dueQuestions = rowStep<DueCard>({
  deadlines: cardDeadlinesSql('user_questions', 'shown_at'),
  candidates: ({ deps }, after, limit) => new QuestionService(deps).due({ after, limit }),
  nameOf,
  act: ({ deps }, { toolUseId }) => new QuestionService(deps).expireOrCancel(toolUseId),
});

/** The decisions of people about a chain, for each agent that waits for them. */
export const dueFollowers = rowStep<DueFollower>({
  deadlines: `select ${LOOK_TIME_SQL} as at from user_questions q
    where q.state = 'pending' and q.follows is not null
      and (select led.state <> 'pending' from user_questions led where led.tool_use_id = q.follows)`,
  candidates: ({ deps }, after, limit) =>
    new QuestionQueries(deps.database.db).followersDue({ after, limit }),
  nameOf,
  act: ({ deps }, waiting) => tellStopped(deps, waiting),
});
