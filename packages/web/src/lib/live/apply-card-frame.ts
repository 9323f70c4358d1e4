import type { Approval } from '@aizuchi/shared/contract/approval';
import type { Question } from '@aizuchi/shared/contract/question';
import type { QueryClient, QueryKey } from '@tanstack/react-query';
import { keys } from '../queries/keys.ts';
import { approvalOf, withDecision } from './approval-pages.ts';
import { type Card, type CardPages, cardId, cardsOf, withCard } from './card-pages.ts';
import { type ListCards, readWhatFrameLacks } from './card-reads.ts';
import { patchQuery } from './patch-query.ts';
import { cardOf, withOutcome } from './question-pages.ts';
import type { LiveFrame } from './wire.ts';

/** How the lists of cards are read: of one agent in one project. */
export interface CardLists {
  readonly approvals: (projectId: string, agentId: string) => ListCards<Approval>;
  readonly questions: (projectId: string, agentId: string) => ListCards<Question>;
}

export type CardFrame = Extract<
  LiveFrame,
  { type: 'user_question' | 'question_resolved' | 'approval_request' | 'approval_resolved' }
>;

/** Changes the one card of the frame in the list of its agent, and reads what the frame leaves out. */
export function applyCardFrame(client: QueryClient, frame: CardFrame, lists: CardLists): void {
  const { projectId, agent_id: agentId, tool_use_id: id } = frame;
  if (frame.type === 'user_question' || frame.type === 'question_resolved') {
    const queryKey = keys.questions(projectId, agentId);
    const list = lists.questions(projectId, agentId);
    if (frame.type === 'user_question')
      addCard(client, queryKey, { list, id, status: 'pending', card: cardOf(frame) });
    else {
      patchQuery<CardPages<Question>>(client, queryKey, (pages) => withOutcome(pages, frame));
      readWhatFrameLacks({ client, queryKey, list, id, status: frame.status });
    }
    return;
  }
  const queryKey = keys.approvals(projectId, agentId);
  const list = lists.approvals(projectId, agentId);
  if (frame.type === 'approval_request')
    addCard(client, queryKey, { list, id, status: 'pending', card: approvalOf(frame) });
  else {
    patchQuery<CardPages<Approval>>(client, queryKey, (pages) => withDecision(pages, frame));
    readWhatFrameLacks({ client, queryKey, list, id, status: frame.status });
  }
}

interface Asked<C extends Card> {
  readonly list: ListCards<C>;
  readonly id: string;
  readonly status: C['status'];
  /** Undefined: the frame does not hold all of it. */
  readonly card: C | undefined;
}

/** Each subscription tells all pending cards again: a known one changes nothing. */
function addCard<C extends Card>(client: QueryClient, queryKey: QueryKey, asked: Asked<C>): void {
  const { card, ...read } = asked;
  const known = cardsOf(client.getQueryData<CardPages<C>>(queryKey));
  const isKnown = known.some((one) => cardId(one) === asked.id);
  patchQuery<CardPages<C>>(client, queryKey, (pages) => (card ? withCard(pages, card) : pages));
  if (!isKnown) readWhatFrameLacks({ client, queryKey, ...read });
}
