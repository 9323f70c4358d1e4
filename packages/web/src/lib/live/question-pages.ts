import type { Question } from '@aizuchi/shared/contract/question';
import { type CardPages, withChange } from './card-pages.ts';
import type { LiveFrame } from './wire.ts';

export type QuestionPages = CardPages<Question>;

type AskedFrame = Extract<LiveFrame, { type: 'user_question' }>;
type ResolvedFrame = Extract<LiveFrame, { type: 'question_resolved' }>;

export function cardOf({ projectId, ...frame }: AskedFrame): Question {
  const { tool_use_id, agent_id, questions, timestamp, expires_at } = frame;
  return {
    toolUseId: tool_use_id,
    projectId,
    agentId: agent_id,
    questions: [...questions],
    status: 'pending',
    // The frame has whole seconds: the card is sorted after everything of the same second.
    createdAt: instant(timestamp + 0.999),
    ...(expires_at !== undefined && { expiresAt: instant(expires_at) }),
  };
}

export function withOutcome(data: QuestionPages, frame: ResolvedFrame): QuestionPages {
  const { tool_use_id, status, answers, answered_by, answered_by_name } = frame;
  return withChange(data, tool_use_id, (card) => ({
    ...card,
    status,
    ...(answers !== undefined && { answers }),
    ...(answered_by !== undefined && { answeredBy: answered_by }),
    ...(answered_by_name !== undefined && { answeredByName: answered_by_name }),
  }));
}

const instant = (epochSeconds: number) => new Date(epochSeconds * 1_000).toISOString();
