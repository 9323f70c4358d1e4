import type { Question } from '@aizuchi/shared/contract/question';
import type { InfiniteData } from '@tanstack/react-query';
import type { LiveFrame } from './wire.ts';

/** Cards newest first, as the server lists them. */
export interface QuestionPage {
  readonly questions: readonly Question[];
  readonly nextCursor: string | null;
}
export type QuestionPages = InfiniteData<QuestionPage, string | undefined>;

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

/** Adds a new card; a known one is replaced only when it is over. */
export function withCard(data: QuestionPages, card: Question): QuestionPages {
  const isKnown = data.pages.some(({ questions }) =>
    questions.some(({ toolUseId }) => toolUseId === card.toolUseId),
  );
  // A known card is unchanged, or already over.
  if (isKnown) return card.status === 'pending' ? data : withChange(data, card.toolUseId, () => card);
  const [first, ...rest] = data.pages;
  if (!first) return data;
  return { ...data, pages: [{ ...first, questions: [card, ...first.questions] }, ...rest] };
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

function withChange(
  data: QuestionPages,
  toolUseId: string,
  change: (card: Question) => Question,
): QuestionPages {
  const changed = (card: Question) => (card.toolUseId === toolUseId ? change(card) : card);
  return {
    ...data,
    pages: data.pages.map((page) => ({ ...page, questions: page.questions.map(changed) })),
  };
}

const instant = (epochSeconds: number) => new Date(epochSeconds * 1_000).toISOString();
