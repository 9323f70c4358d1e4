import { expect } from 'vitest';
import type { AgentCaller } from '../../src/core/access/agent-caller.ts';
import { ServiceWorld, type WorldAgent } from '../../src/testing/service-world.ts';

export interface Talker extends WorldAgent {
  readonly caller: AgentCaller;
  readonly runId: string;
}

const SETTINGS_ARE_READ_AGAIN_MS = 5_000;

/** Agents that talk to each other, as the tests of conversations see them. */
export class TalkWorld {
  readonly services: ServiceWorld;

  private constructor(services: ServiceWorld) {
    this.services = services;
  }

  static async create(): Promise<TalkWorld> {
    return new TalkWorld(await ServiceWorld.create());
  }

  /** Talks in a world that is there already. */
  static on(services: ServiceWorld): TalkWorld {
    return new TalkWorld(services);
  }

  /** Worker A runs; worker B is in the same project and sleeps. */
  async workers(): Promise<{ a: Talker; b: WorldAgent }> {
    const membership = await this.services.agentInProject();
    return { a: await this.warm(membership), b: await this.services.colleague(membership) };
  }

  async warm(membership: WorldAgent): Promise<Talker> {
    return { ...membership, ...(await this.services.warmAgent(membership)) };
  }

  async signIn(membership: WorldAgent): Promise<Talker> {
    return { ...membership, ...(await this.services.signIn(membership)) };
  }

  /** Both run, and talk. */
  async talking(): Promise<{ a: Talker; b: Talker; id: string }> {
    const { a, b } = await this.workers();
    const { conversation } = await this.services.talks.start(a.caller, {
      targetAgentId: b.agentId,
      purpose: 'しりとり',
    });
    const started = await this.signIn(b);
    expect(await this.hear(started)).toMatchObject({ action: 'request', purpose: 'しりとり' });
    return { a, b: started, id: conversation.id };
  }

  async next({ caller }: { caller: AgentCaller }) {
    return (await this.services.sessions.nextActions([caller.sessionId])).get(caller.sessionId);
  }

  /** What get_next_action says: a notice in its own words, else the action. Told, unless the response is lost. */
  async hear(agent: { caller: AgentCaller }, options: { lost?: boolean } = {}): Promise<unknown> {
    const action = await this.next(agent);
    if (action?.kind !== 'conversation') return action;
    const offered = await this.services.talks.offer(agent.caller, action.notice);
    if (offered === null) throw new Error('nothing was offered');
    if (!options.lost) await this.services.receipts.written(agent.caller, action);
    const { conversation, messages, repeat, resumed, partnerId } = offered;
    return {
      action: action.notice.kind,
      conversationId: conversation.id,
      endedBy: conversation.endedBy,
      reason: conversation.endReason,
      purpose: conversation.purpose,
      partnerId,
      messages: messages.map((message) => message.content),
      repeat,
      resumed,
    };
  }

  async say(from: { caller: AgentCaller }, to: WorldAgent, content: string) {
    return this.services.delivery.send(from.caller, { targetAgentId: to.agentId, content });
  }

  /** Fetches, and gives what it read with the source. */
  async read({ caller }: { caller: AgentCaller }) {
    const delivery = await this.services.delivery.take(caller);
    return { source: delivery.source, words: delivery.pendingMessages.map((message) => message.content) };
  }

  /** Settings that act at once. */
  async set(values: { chainMaxMessages?: number | null; projectAgentMessagesPerHour?: number | null }) {
    await this.services.database.db.updateTable('appSettings').set(values).execute();
    this.services.clock.advance(SETTINGS_ARE_READ_AGAIN_MS);
  }

  async view(id: string) {
    return this.services.conversations.get(this.services.owner, id);
  }
}

/** The code with which a call is refused. */
export function refusal(promise: Promise<unknown>): Promise<string | undefined> {
  return promise.then(
    () => 'no refusal',
    (error: { code?: string }) => error.code,
  );
}
