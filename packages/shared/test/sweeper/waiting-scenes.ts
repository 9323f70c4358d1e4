import { rowOf } from '../chat/chat-support.ts';
import { taskInProgress } from '../tasks/task-work-support.ts';
import { answered, COST } from '../usage/usage-support.ts';
import { forgetWakeUps, type Scene, type Scenes, scheduleOf } from './sweep-scene.ts';

const isWoken: Scene['isDone'] = async (world, membership) => (await rowOf(world, membership)) !== undefined;

/** Steps over what waits: for a start, for its agent, for its time. */
export const WAITING_SCENES = {
  overLimit: {
    make: async (world, membership) => {
      const { caller } = await world.warmAgent(membership);
      await answered(world, { membership, caller });
      const dailyTokenLimit = COST.inputTokens;
      await world.agents.update(world.owner, membership.agentId, { dailyTokenLimit });
      return (await world.chat.post(world.owner, { ...membership, content: 'hi' })).message.id;
    },
    isDone: async (world, _membership, id) => (await world.history.byIds([id])).get(id)?.state === 'failed',
  },
  expired: {
    make: async (world, membership) => {
      await world.chat.start(world.owner, membership);
      return membership.agentId;
    },
    afterMs: 301_000,
    isDone: async (world, membership) => (await rowOf(world, membership)) === undefined,
  },
  held: {
    make: async (world, membership) => {
      await world.chat.start(world.owner, membership);
      // Until it may be tried again, which it may by now. One that waits for a place would tell all others in the queue.
      await world.database.db
        .updateTable('pendingAgentPurposes')
        .set({ heldFor: 'cooling_down', heldSince: world.clock.now() })
        .where('agentId', '=', membership.agentId)
        .execute();
      return membership.agentId;
    },
    isDone: async (world, membership) => (await rowOf(world, membership))?.heldSince === null,
  },
  repaired: {
    make: async (world, membership) => {
      await world.chat.post(world.owner, { ...membership, content: 'hi' });
      await forgetWakeUps(world, membership);
      return membership.agentId;
    },
    afterMs: 1_000,
    isDone: isWoken,
  },
  unworked: {
    make: async (world, membership) => (await taskInProgress(world, membership)).taskId,
    afterMs: 3_000,
    isDone: isWoken,
  },
  schedules: {
    make: async (world, membership) => {
      const nextRunAt = world.clock.now();
      const schedule = { ...scheduleOf(world, membership), nextRunAt };
      await world.database.db.insertInto('schedules').values(schedule).execute();
      return schedule.id;
    },
    isDone: async (world, membership, id) => (await rowOf(world, membership))?.scheduleId === id,
  },
  schedulesOff: {
    make: async (world, membership) => {
      const off = { enabled: false, offReason: 'maker_not_member', offSaid: false };
      const schedule = { ...scheduleOf(world, membership), ...off };
      await world.database.db.insertInto('schedules').values(schedule).execute();
      return schedule.id;
    },
    isDone: async (world, _membership, id) => {
      const { db } = world.database;
      const schedule = db.selectFrom('schedules').select('offSaid').where('id', '=', id);
      return (await schedule.executeTakeFirstOrThrow()).offSaid;
    },
  },
  turns: {
    make: async (world, { projectId, agentId }) => {
      const { db } = world.database;
      const id = `evt_${agentId}`;
      const of = { agentId, clientId: agentId };
      const said = {
        source: 'chat',
        userText: 'hi',
        assistantState: 'partial',
        createdAt: world.clock.now(),
      };
      await db
        .insertInto('memoryEvents')
        .values({ ...of, ...said, id, projectId, threadId: agentId })
        .execute();
      await db
        .insertInto('chatTurns')
        .values({ ...of, eventId: id, state: 'running', leaseUntil: world.clock.now() })
        .execute();
      return id;
    },
    isDone: async (world, _membership, id) => {
      const { db } = world.database;
      const turn = db.selectFrom('chatTurns').select('state').where('eventId', '=', id);
      return (await turn.executeTakeFirstOrThrow()).state === 'failed';
    },
  },
} satisfies Scenes;
