import { QuestionQueries } from '../../src/core/questions/question-queries.ts';
import { newId } from '../../src/platform/ids.ts';
import { approvalOf, toRun } from '../approvals/approval-support.ts';
import { ask, cardOf } from '../questions/question-support.ts';
import type { Scene, Scenes } from './sweep-scene.ts';

const isResolved: Scene['isDone'] = async (world, _membership, id) =>
  (await cardOf(world, id)).state !== 'pending';

/** Steps over what agents wait for: people's answers and decisions, other agents. */
export const CARD_SCENES = {
  followers: {
    make: async (world, membership) => {
      const { caller } = await world.warmAgent(membership);
      const { toolUseId: follows } = await world.questions.ask(caller, { questions: ask('Go on?') });
      await world.questions.answer(world.owner, follows, { 0: '1' });
      const toolUseId = newId('toolu');
      const follower = { toolUseId, follows, agentId: membership.agentId, now: world.clock.now() };
      await new QuestionQueries(world.database.db).insertFollower(follower);
      return toolUseId;
    },
    isDone: isResolved,
  },
  questions: {
    make: async (world, membership) => {
      const { caller } = await world.warmAgent(membership);
      return (await world.questions.ask(caller, { questions: ask('Which?') })).toolUseId;
    },
    afterMs: 301_000,
    isDone: isResolved,
  },
  approvals: {
    make: async (world, membership) => {
      const { caller } = await world.warmAgent(membership);
      return (await world.approvals.request(caller, toRun('ls'))).toolUseId;
    },
    afterMs: 301_000,
    isDone: async (world, _membership, id) => (await approvalOf(world, id)).state !== 'pending',
  },
  conversations: {
    make: async (world, membership) => {
      const { caller } = await world.warmAgent(membership);
      const target = await world.colleague(membership);
      return (await world.talks.start(caller, { targetAgentId: target.agentId })).conversation.id;
    },
    afterMs: 301_000,
    isDone: async (world, _membership, id) => {
      const { db } = world.database;
      const conversation = db.selectFrom('conversations').select('state').where('id', '=', id);
      return (await conversation.executeTakeFirstOrThrow()).state !== 'pending';
    },
  },
} satisfies Scenes;
