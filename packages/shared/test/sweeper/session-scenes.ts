import type { ServiceWorld } from '../../src/testing/service-world.ts';
import { runOf } from '../chat/chat-support.ts';
import { exitCauseOf, forgetWakeUps, type Scene, type Scenes, stateOf } from './sweep-scene.ts';

const isLeaving: Scene['isDone'] = async (world, membership) =>
  (await stateOf(world, membership)) !== 'active';

const post = (world: ServiceWorld, membership: Parameters<Scene['make']>[1]) =>
  world.chat.post(world.owner, { ...membership, content: 'hi' });

/** Steps over sessions, and over the runs behind them. */
export const SESSION_SCENES = {
  idle: {
    make: async (world, membership) => (await world.warmAgent(membership)).runId,
    afterMs: 601_000,
    isDone: isLeaving,
  },
  silent: {
    make: async (world, membership) => {
      const { runId } = await world.warmAgent(membership);
      await post(world, membership);
      return runId;
    },
    afterMs: 606_000,
    isDone: isLeaving,
  },
  abandoned: {
    make: async (world, membership) => {
      const { caller, runId } = await world.warmAgent(membership);
      await world.sessions.logout(caller);
      return runId;
    },
    afterMs: 606_000,
    isDone: async (world, _membership, runId) => (await runOf(world, runId)).stopRequestedAt !== null,
  },
  stalled: {
    make: async (world, membership) => {
      const { caller, runId } = await world.warmAgent(membership);
      await post(world, membership);
      await world.delivery.take(caller);
      return runId;
    },
    afterMs: 3_601_000,
    isDone: async (world, _membership, runId) => (await exitCauseOf(world, runId)) === 'stalled',
  },
  ended: {
    make: async (world, membership) => {
      const { runId } = await world.warmAgent(membership);
      await world.chat.end(world.owner, { ...membership, force: true });
      return runId;
    },
    afterMs: 31_000,
    isDone: async (world, membership) => (await stateOf(world, membership)) === 'ended',
  },
  closed: {
    make: async (world, membership) => {
      const { runId } = await world.warmAgent(membership);
      await world.chat.end(world.owner, { ...membership, viewerId: 'viewer-1', cause: 'unload' });
      return runId;
    },
    afterMs: 11_000,
    isDone: isLeaving,
  },
  settled: {
    make: async (world, membership) => {
      const { caller, runId } = await world.warmAgent(membership);
      // As the process leaves it that died between the end of the last work and the close.
      await world.database.db
        .deleteFrom('sessionViewers')
        .where('agentId', '=', membership.agentId)
        .execute();
      await world.database.db
        .updateTable('agentSessions')
        .set({ closeRequestedAt: world.clock.now() })
        .where('id', '=', caller.sessionId)
        .execute();
      return runId;
    },
    isDone: isLeaving,
  },
  unwatched: {
    make: async (world, membership) => {
      await world.chat.start(world.owner, membership);
      const action = await world.coordination.getAgentAction(membership);
      if (action.action !== 'start') throw new Error('held');
      await forgetWakeUps(world, membership);
      return action.runId;
    },
    afterMs: 61_000,
    isDone: async (world, _membership, runId) => (await exitCauseOf(world, runId)) === 'lost',
  },
  lostCoordinators: {
    make: async (world, membership) =>
      (await world.warmAgent(membership, `frozen-${membership.agentId}`)).runId,
    afterMs: 46_000,
    isDone: async (world, _membership, runId) => (await exitCauseOf(world, runId)) === 'lost',
  },
} satisfies Scenes;
