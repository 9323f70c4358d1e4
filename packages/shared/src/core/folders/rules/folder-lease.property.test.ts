import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decideFolder, type FolderMember, isWithheld, type WaitingSource } from './folder-lease.ts';

/*
 * Agents that share a folder, ask each other in the middle of their work and wait for the answer. Each takes what the
 * rule allows, and nothing else.
 */

/** A message; `isReply`: it answers what its reader has asked. */
interface Word {
  readonly from: string | null;
  readonly isReply: boolean;
  readonly since: number;
}

class Agent {
  readonly id: string;
  stored: Word[] = [];
  held: Word[] = [];
  /** It was started for its work, and has taken nothing since. */
  isStarted = false;
  /** Whose answer its work waits for. */
  awaits: string | null = null;

  constructor(id: string) {
    this.id = id;
  }

  asMember(isReady: boolean): FolderMember {
    const sources = new Map<string, WaitingSource>();
    for (const { from, since } of this.stored) {
      const threadId = from ?? 'chat';
      if (!sources.has(threadId))
        sources.set(threadId, { threadId, partnerId: from, since: new Date(since) });
    }
    const waiting = [...sources.values()];
    const reserves = this.isStarted && waiting.length > 0;
    return { key: this.id, agentId: this.id, holds: this.held.length > 0, reserves, isReady, waiting };
  }
}

class Folder {
  readonly agents: readonly Agent[];
  #time = 0;
  readonly violations: string[] = [];

  constructor(count: number) {
    this.agents = Array.from({ length: count }, (_, index) => new Agent(`agent-${index}`));
  }

  agent(index: number): Agent {
    const agent = this.agents[index % this.agents.length];
    if (!agent) throw new Error('no agents');
    return agent;
  }

  store(to: Agent, from: string | null, isReply = false): void {
    this.#time += 1;
    to.stored.push({ from, isReply, since: this.#time });
  }

  get isAtRest(): boolean {
    return this.agents.every(({ stored, held }) => stored.length === 0 && held.length === 0);
  }

  #members(ready: readonly string[]): FolderMember[] {
    return this.agents.map((one) => one.asMember(ready.includes(one.id)));
  }

  /** Where the rule allows it, a process is started for what waits. */
  start(agent: Agent, ready: readonly string[]): void {
    if (agent.stored.length > 0 && !isWithheld(decideFolder(this.#members(ready), agent.id)))
      agent.isStarted = true;
  }

  /** Fetches what the rule allows. False: nothing. */
  take(agent: Agent, ready: readonly string[]): boolean {
    const members = this.#members(ready);
    const { threads } = decideFolder(members, agent.id);
    const given = agent.stored.filter(({ from }) => threads === 'all' || threads.includes(from ?? 'chat'));
    const others = this.agents.filter((one) => one !== agent && one.held.length > 0);
    const isAtWork = agent.held.length > 0;
    for (const { from } of given)
      if (others.length > 0 && !others.some(({ id }) => id === from) && !(isAtWork && from !== null))
        this.violations.push(`${agent.id} took a message of ${from ?? 'a person'} while others worked`);
    agent.stored = agent.stored.filter((word) => !given.includes(word));
    agent.held.push(...given);
    if (given.length > 0) agent.isStarted = false;
    if (given.some(({ from, isReply }) => isReply && from === agent.awaits)) agent.awaits = null;
    return given.length > 0;
  }

  /** Asks a colleague, and works on when it has answered. One conversation of two agents at a time. */
  ask(agent: Agent, other: Agent): void {
    const isTalking = [...other.held, ...other.stored].some(({ from }) => from === agent.id);
    const isAsked = [...agent.held, ...agent.stored].some(({ from }) => from === other.id);
    if (agent === other || agent.held.length === 0 || agent.awaits !== null || isTalking || isAsked) return;
    if (other.awaits === agent.id) return;
    this.store(other, agent.id);
    agent.awaits = other.id;
  }

  /** Each does what it can, until nothing waits. A deadlock is a round in which nobody can do anything. */
  finish(): void {
    const all = this.agents.map(({ id }) => id);
    while (!this.isAtRest) {
      const done = this.agents.filter((agent) => [this.take(agent, all), this.answer(agent)].some(Boolean));
      expect(done, JSON.stringify(this.agents)).not.toEqual([]);
    }
  }

  /** Answers what it holds; while it waits for an answer, only what colleagues have asked. False: nothing. */
  answer(agent: Agent): boolean {
    const answered = agent.held.filter(
      ({ from, isReply }) => agent.awaits === null || (from !== null && !isReply),
    );
    agent.held = agent.held.filter((word) => !answered.includes(word));
    for (const { from, isReply } of answered) {
      const asker = this.agents.find(({ id }) => id === from);
      if (asker && !isReply) this.store(asker, agent.id, true);
    }
    return answered.length > 0;
  }
}

const step = fc.record({
  kind: fc.constantFrom('person', 'start', 'take', 'ask', 'answer'),
  agent: fc.nat(4),
  other: fc.nat(4),
});

it('nobody works beside others who have not asked it, and everything that waits is done in the end', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 5 }),
      fc.array(step, { maxLength: 60, size: 'max' }),
      (count, steps) => {
        const folder = new Folder(count);
        const all = folder.agents.map(({ id }) => id);
        for (const { kind, agent: index, other } of steps) {
          const agent = folder.agent(index);
          if (kind === 'person') folder.store(agent, null);
          // Some of them are not ready.
          else if (kind === 'start') folder.start(agent, all.slice(other % count));
          else if (kind === 'take') folder.take(agent, all.slice(other % count));
          else if (kind === 'ask') folder.ask(agent, folder.agent(other));
          else folder.answer(agent);
        }
        folder.finish();
        expect(folder.violations).toEqual([]);
      },
    ),
    { numRuns: 500 },
  );
});

it('two that work, and whose partners have answered and work no more, do not wait for each other', () => {
  const folder = new Folder(4);
  const all = folder.agents.map(({ id }) => id);
  const [x, y, z, v] = [folder.agent(0), folder.agent(1), folder.agent(2), folder.agent(3)];
  const asks = (agent: Agent, other: Agent) => {
    folder.ask(agent, other);
    expect(folder.take(other, all)).toBe(true);
  };
  folder.store(x, null);
  folder.take(x, all);
  asks(x, y);
  asks(y, z);
  asks(z, x);
  folder.answer(x);
  expect(folder.take(z, all)).toBe(true);
  folder.ask(z, v);
  expect(folder.take(v, all)).toBe(true);
  folder.finish();
});
