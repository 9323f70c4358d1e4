import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AgentCaller } from '../../src/core/access/agent-caller.ts';
import { Sweeper } from '../../src/core/sweeper/sweeper.ts';
import { AppError } from '../../src/platform/errors.ts';
import { checkInvariants } from '../../src/testing/invariants.ts';
import { ServiceWorld, type WorldAgent } from '../../src/testing/service-world.ts';
import { SEARCH_MS } from '../../src/testing/timeouts.ts';
import { expectInvariants } from './chat-support.ts';

let world: ServiceWorld;
beforeAll(async () => {
  world = await ServiceWorld.create();
});
afterAll(async () => {
  await expectInvariants(world);
  await world.close();
});

/** What has happened to one membership so far, as its Coordinator and its agents know it. */
interface Story {
  readonly membership: WorldAgent;
  readonly passkey: string;
  readonly runs: string[];
  readonly tickets: string[];
  readonly callers: AgentCaller[];
  readonly posted: string[];
}

const ACTIONS = {
  start: (story: Story) => world.chat.start(world.owner, { ...story.membership, viewerId: 'v' }),
  post: async (story: Story) => {
    const { message } = await world.chat.post(world.owner, { ...story.membership, content: 'hi' });
    story.posted.push(message.id);
  },
  close: (story: Story) => world.chat.end(world.owner, { ...story.membership, viewerId: 'v' }),
  unload: (story: Story) =>
    world.chat.end(world.owner, { ...story.membership, viewerId: 'v', cause: 'unload' }),
  force: (story: Story) => world.chat.end(world.owner, { ...story.membership, force: true }),
  newContext: (story: Story) => world.chat.newContext(world.owner, story.membership),
  retry: async (story: Story) => {
    for (const messageId of story.posted.slice(-2))
      await world.chat.retry(world.owner, { ...story.membership, messageId });
  },
  ask: async (story: Story) => {
    const action = await world.coordination.getAgentAction({ ...story.membership, coordinatorId: 'host-a' });
    if (action.action !== 'start') return;
    story.runs.push(action.runId);
    if (action.ticket !== null) story.tickets.push(action.ticket);
  },
  signIn: async (story: Story) => {
    const ticket = story.tickets.at(-1);
    if (ticket === undefined) return;
    const result = await world.sessions.authenticate({ bearer: ticket, address: 'x' });
    if (result.success) story.callers.push(await world.sessions.resolve(ticket));
  },
  replace: async (story: Story) => {
    const result = await world.sessions.authenticate({
      ...story.membership,
      passkey: story.passkey,
      replace: true,
      address: 'x',
    });
    if (result.success) story.callers.push(await world.sessions.resolve(result.sessionToken ?? ''));
  },
  take: async (story: Story) => {
    for (const caller of story.callers.slice(-2)) {
      await world.delivery.take(caller);
    }
  },
  respond: async (story: Story) => {
    for (const caller of story.callers.slice(-2)) await world.delivery.respond(caller, { content: 'ok' });
  },
  next: async (story: Story) => {
    const ids = story.callers.slice(-2).map(({ sessionId }) => sessionId);
    const actions = await world.sessions.nextActions(ids);
    const over = ids.filter((id) => actions.get(id)?.kind === 'exit' || actions.get(id)?.kind === 'logout');
    for (const id of over) await world.sessions.offerEnd(id);
    await world.sessions.acknowledged(over);
  },
  logout: async (story: Story) => {
    const caller = story.callers.at(-1);
    if (caller) await world.sessions.logout(caller);
  },
  exit: async (story: Story) => {
    for (const runId of story.runs.slice(-2))
      await world.coordination.reportProcessExit({ runId, exitCode: story.runs.length % 3 });
  },
  // Unchecked: the clock is put forward between its look at the deadlines and its round. At rest it is checked.
  sweep: () => new Sweeper(world.deps).runOnce(),
  later: async () => {
    world.clock.advance(11_000);
    await world.coordinator();
  },
};
type ActionName = keyof typeof ACTIONS;

it('whatever people, agents, Coordinators and sweepers do at once: the invariants hold, nothing breaks', async () => {
  const action = fc.constantFrom(...(Object.keys(ACTIONS) as ActionName[]));
  // Each story begins with a warm agent; every batch runs at once on connections of its own.
  const until = performance.now() + SEARCH_MS;
  const anyStory = fc.array(fc.array(action, { minLength: 2, maxLength: 6 }), { minLength: 3, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(anyStory, async (batches) => {
      if (performance.now() > until) return;
      const membership = await world.agentInProject();
      const { passkey } = await world.agents.setPasskey(world.owner, membership.agentId, {});
      const warm = await world.warmAgent(membership);
      const story: Story = {
        membership,
        passkey,
        runs: [warm.runId],
        tickets: [],
        callers: [warm.caller],
        posted: [],
      };
      for (const batch of batches) {
        const results = await Promise.allSettled(batch.map((name) => ACTIONS[name](story)));
        for (const [index, result] of results.entries())
          if (result.status === 'rejected' && !(result.reason instanceof AppError))
            throw new Error(`${batch[index]} among ${batch.join()} broke`, { cause: result.reason });
        expect(await checkInvariants(world.database, { files: false })).toEqual([]);
      }
      // All is told and over: nothing may wait for nobody.
      for (let round = 0; round < 3; round += 1) {
        await ACTIONS.next(story);
        for (const runId of story.runs)
          await world.coordination.reportProcessExit({ runId, exitCode: 0 }).catch(onlyRefusals);
        await ACTIONS.later();
        await world.sweeper.runOnce();
      }
      expect(await checkInvariants(world.database, { files: false, settled: true })).toEqual([]);
      await world.chat.end(world.owner, { ...membership, force: true });
    }),
    { numRuns: 25, endOnFailure: true },
  );
}, 120_000);

function onlyRefusals(error: unknown): void {
  if (!(error instanceof AppError)) throw error;
}
