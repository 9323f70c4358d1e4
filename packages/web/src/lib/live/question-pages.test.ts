import type { Question } from '@aizuchi/shared/contract/question';
import { QueryClient, type QueryKey } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { keys } from '../queries/keys.ts';
import { applyCardFrame } from './apply-card-frame.ts';
import { cardsOf } from './card-pages.ts';
import type { QuestionPages } from './question-pages.ts';

const options = ['Keep', 'Drop'].map((label) => ({ label, description: '' }));
const questions = [{ question: 'Keep it?', header: 'Keep', options, multiSelect: false }];
const old: Question = {
  toolUseId: 'q_old',
  projectId: 'prj_a',
  agentId: 'agt_a',
  questions,
  status: 'cancelled',
  createdAt: '2026-11-21T10:00:00.000Z',
};
const none = () => () => Promise.resolve({ cards: [], nextCursor: null });
const lists = { approvals: none, questions: none };
const queryKey: QueryKey = keys.questions('prj_a', 'agt_a');

function read(): QueryClient {
  const client = new QueryClient();
  client.setQueryData<QuestionPages>(queryKey, {
    pages: [{ cards: [old], nextCursor: null }],
    pageParams: [undefined],
  });
  return client;
}

const cards = (client: QueryClient) => cardsOf(client.getQueryData<QuestionPages>(queryKey));
const asked = (toolUseId: string) =>
  ({
    type: 'user_question',
    projectId: 'prj_a',
    cursor: 'c1',
    tool_use_id: toolUseId,
    agent_id: 'agt_a',
    questions,
    timestamp: 1_763_719_200,
    expires_at: 1_763_719_500,
  }) as const;
const resolved = {
  type: 'question_resolved',
  projectId: 'prj_a',
  cursor: 'c2',
  tool_use_id: 'q_new',
  agent_id: 'agt_a',
  status: 'answered',
  answers: { 0: '1' },
  answered_by: 'owner',
  answered_by_name: '高橋',
} as const;

test('a card is added once, on top; its outcome closes it', () => {
  const client = read();
  applyCardFrame(client, asked('q_new'), lists);
  applyCardFrame(client, asked('q_new'), lists);
  expect(cards(client).map(({ toolUseId, status }) => [toolUseId, status])).toEqual([
    ['q_new', 'pending'],
    ['q_old', 'cancelled'],
  ]);
  expect(cards(client)[0]).toMatchObject({
    createdAt: '2025-11-21T10:00:00.999Z',
    expiresAt: '2025-11-21T10:05:00.000Z',
  });
  applyCardFrame(client, resolved, lists);
  expect(cards(client)[0]).toMatchObject({
    status: 'answered',
    answers: { 0: '1' },
    answeredByName: '高橋',
  });
});

test('a finished card never becomes pending again', () => {
  const client = read();
  applyCardFrame(client, asked('q_old'), lists);
  expect(cards(client)).toEqual([old]);
});
