import type { MembershipKey } from '@aizuchi/shared/core/rules/work-key';
import { expect, test } from 'vitest';
import { SentCards } from './card-frames.ts';
import { PartialAnswers } from './partial-answers.ts';
import type { Subscription } from './subscription.ts';

const membership = { projectId: 'prj_a', agentId: 'agt_a' };
const piece = (messageId: string) => ({ ...membership, messageId, text: 'a', offset: 0 });
const session = {
  projectId: 'prj_a',
  body: {
    type: 'session_changed',
    agentId: 'agt_a',
    chat: 1,
    task: 0,
    chatStatus: 'ready',
    since: '2026-11-21T10:00:00.000Z',
  } as const,
};

function follow() {
  const heard: string[] = [];
  const database = { isAway: false, stored: new Set<string>(), atCard: [] as MembershipKey[] };
  const sink: Subscription['sink'] = {
    person: { id: 'agt_ann', name: 'Ann', accessLevel: 'member' },
    isOpen: true,
    send(text) {
      const { type, messageId } = JSON.parse(text) as { type: string; messageId: string };
      heard.push(`${type} ${messageId}`);
    },
    sendUntilAccepted: async () => undefined,
    close: () => undefined,
    lose: () => undefined,
  };
  const reader: Subscription = {
    sink,
    projectId: 'prj_a',
    viewerId: undefined,
    since: undefined,
    sentCards: new SentCards(),
    isOver: false,
    checks: 0,
  };
  const answers = new PartialAnswers({
    async storedMessages() {
      if (database.isAway) throw new Error('away');
      return database.stored;
    },
    membersAtCard: async () => database.atCard,
    readers: () => [reader],
    dropUnauthorized: async () => undefined,
  });
  return { answers, heard, database };
}

test('an answer is discarded right before the first piece of the next one, unless it is stored', async () => {
  const { answers, heard, database } = follow();
  await answers.send([piece('msg_1'), piece('msg_2')]);
  database.stored.add('msg_2');
  await answers.send([piece('msg_3')]);
  expect(heard).toEqual([
    'message_delta msg_1',
    'message_discarded msg_1',
    'message_delta msg_2',
    'message_delta msg_3',
  ]);
});

test('what was to be discarded when the database was away is told later, once', async () => {
  const { answers, heard, database } = follow();
  await answers.send([piece('msg_1')]);
  database.isAway = true;
  await expect(answers.send([piece('msg_2')])).rejects.toThrow('away');
  answers.note([session]);
  await expect(answers.discardEnded()).rejects.toThrow('away');
  database.isAway = false;
  // Meanwhile the next one has begun: the state of the session was before it.
  await answers.send([piece('msg_3')]);
  await answers.discardEnded();
  await answers.discardEnded();
  expect(heard).toEqual([
    'message_delta msg_1',
    'message_delta msg_3',
    'message_discarded msg_2',
    'message_discarded msg_1',
  ]);
});

test('an answer that waits for a person is not discarded by the one that grows meanwhile', async () => {
  const { answers, heard, database } = follow();
  await answers.send([piece('msg_1')]);
  database.atCard = [membership];
  await answers.send([piece('msg_2'), piece('msg_2')]);
  database.atCard = [];
  // It is known to wait, although the person has answered.
  await answers.send([piece('msg_2')]);
  database.stored.add('msg_2');
  await answers.send([piece('msg_1')]);
  await answers.send([piece('msg_3')]);
  expect(heard).toEqual([
    'message_delta msg_1',
    'message_delta msg_2',
    'message_delta msg_2',
    'message_delta msg_2',
    'message_delta msg_1',
    'message_discarded msg_1',
    'message_delta msg_3',
  ]);
});

test('the state of a session ends only what grew before it, also when the rest of its stretch is read later', async () => {
  const { answers, heard } = follow();
  await answers.send([piece('msg_1')]);
  answers.note([session]);
  await answers.send([piece('msg_2')]);
  await answers.discardEnded();
  expect(heard).toEqual(['message_delta msg_1', 'message_delta msg_2', 'message_discarded msg_1']);
});
