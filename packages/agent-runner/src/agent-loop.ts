import { setTimeout as delay } from 'node:timers/promises';
import type { PendingMessages } from '@aizuchi/shared/contract/tools/chat-tools';
import type { NextAction } from '@aizuchi/shared/contract/tools/next-action';
import { nextActionSchema } from '@aizuchi/shared/contract/tools/next-action';
import type { ToolClient } from '@aizuchi/shared/mcp-client/tool-client';
import { ToolRefused, ToolUnreachable } from '@aizuchi/shared/mcp-client/tool-errors';
import type { ConversationOver, Driver, SessionTools } from './driver.ts';
import { handIn, reportToPerson } from './hand-in.ts';
import { OpenCards, type WaitingBatch } from './open-cards.ts';
import { answerBatch } from './turn.ts';
import type { Batch, TurnContext, TurnOptions } from './turn-context.ts';

export interface AgentLoopOptions {
  readonly client: ToolClient;
  readonly driver: Driver;
  readonly agentId: string;
  /** One line for the run's log. */
  readonly log: (sentence: string) => void;
  readonly holdSeconds?: number;
}

/** Exit codes of the runner: what the Coordinator reports of it. */
export const RUNNER_EXIT = { done: 0, failed: 1, launch: 2, refused: 3 } as const;

const HOLD_SECONDS = 25;
const CALL_RESERVE_MS = 15_000;
const LOGOUT_TIMEOUT_MS = 2_000;
/** After an action that this runner has no use for, or a failed turn: so that no fault becomes a hot loop. */
const PAUSE_MS = 1_000;

/**
 * The life of one session: sign in, ask what to do, do it, until told to leave. The server may come and go
 * meanwhile: every call is repeated until it is answered, and repeating is harmless by the batch's key.
 */
export class AgentLoop {
  readonly #options: AgentLoopOptions;

  constructor(options: AgentLoopOptions) {
    this.#options = options;
  }

  /** Resolves with the exit code of the process. */
  async run(): Promise<number> {
    const { client, log } = this.#options;
    const signedIn = await client.callUntilAnswered('authenticate', {});
    if (!signedIn.success) {
      log(`sign-in refused: ${signedIn.error ?? 'no reason given'}`);
      return RUNNER_EXIT.refused;
    }
    const context: TurnContext = {
      client,
      driver: this.#options.driver,
      log,
      agentId: this.#options.agentId,
      agentName: signedIn.agent_name ?? '',
    };
    const cards = new OpenCards(context, (batches) => this.#giveUp(batches, context));
    try {
      while (!(await this.#step(context, cards))) {
        // Each step waits for the server.
      }
    } catch (error) {
      if (!(error instanceof ToolRefused)) throw error;
      log(`the server ended this session: ${error.code}: ${error.message}`);
      return RUNNER_EXIT.failed;
    } finally {
      cards.close();
    }
    await this.#logout();
    return RUNNER_EXIT.done;
  }

  /** One question and what follows from it; true when it is time to leave. */
  async #step(context: TurnContext, cards: OpenCards): Promise<boolean> {
    const action = await this.#nextAction();
    switch (action.action) {
      case 'exit':
      case 'logout':
        context.log(`leaving: ${action.action} (${action.reason})`);
        return true;
      case 'get_pending_messages':
        return this.#answerNext(context, cards);
      case 'wait_for_messages':
        if (action.superseded) await delay(PAUSE_MS);
        else if (action.wait_seconds > 0) await delay(action.wait_seconds * 1000);
        return false;
      case 'conversation_request':
        // Its first message follows, and the driver reads there what it is about.
        return false;
      case 'conversation_ended':
        return this.#conversationOver(
          { id: action.conversation_id, why: action.reason, unread: action.unread_messages },
          context,
        );
      case 'conversation_expired':
        return this.#conversationOver({ id: action.conversation_id, why: 'expired', unread: [] }, context);
      case 'question_resolved':
        return this.#goOn(action, context, cards);
      case 'get_task':
      case 'work':
        context.log(`nothing that this agent can do: ${action.action}`);
        await delay(PAUSE_MS);
        return false;
    }
  }

  async #nextAction(): Promise<NextAction> {
    const holdSeconds = this.#options.holdSeconds ?? HOLD_SECONDS;
    const answer = await this.#options.client.callUntilAnswered(
      'get_next_action',
      { hold_seconds: holdSeconds },
      { timeoutMs: holdSeconds * 1000 + CALL_RESERVE_MS },
    );
    return nextActionSchema.parse(answer);
  }

  async #answerNext(context: TurnContext, cards: OpenCards): Promise<boolean> {
    const batch = await context.client.callUntilAnswered('get_pending_messages', {});
    if (!isFilled(batch)) return false;
    const fresh = cards.join(batch);
    if (fresh === undefined) return this.#answer(batch, context, cards, {});
    // Nothing is new to the driver: the turn that waits answers it.
    return fresh.length > 0 && this.#answer(batch, context, cards, { interim: fresh });
  }

  /** A card is resolved: its turn goes on with what came of it. */
  async #goOn(
    { tool_use_id: id, status, answers = {} }: Extract<NextAction, { action: 'question_resolved' }>,
    context: TurnContext,
    cards: OpenCards,
  ): Promise<boolean> {
    const waiting = cards.take(id);
    // Unknown: a card of the session before, whose message comes again and asks for itself.
    if (!waiting) return false;
    const { batch, answers: batchId } = waiting;
    return this.#answer(batch, context, cards, { asked: { status, answers }, answers: batchId });
  }

  async #answer(
    batch: Batch,
    context: TurnContext,
    cards: OpenCards,
    options: TurnOptions,
  ): Promise<boolean> {
    return this.#untilFault(context, async () => {
      const end = await answerBatch(batch, context, options);
      if (end.kind === 'waiting') cards.add(end.toolUseId, batch);
      return end.kind === 'stop';
    });
  }

  /** A person no longer wants these answers: read, and nothing said. */
  async #giveUp(given: readonly WaitingBatch[], context: TurnContext): Promise<void> {
    for (const { batch, answers } of given) await handIn({ reply: null }, batch, context, { answers });
  }

  async #conversationOver(over: ConversationOver, context: TurnContext): Promise<boolean> {
    return this.#untilFault(context, async () => {
      const { client, driver, agentId, agentName } = context;
      const tools: SessionTools = { call: (name, args) => client.callUntilAnswered(name, args) };
      const report = await driver.conversationOver?.(over, { agentId, agentName, tools });
      if (report) await reportToPerson(report, over.id, context);
      return false;
    });
  }

  /** Also when the session ended meanwhile: the next question tells, and messages are given out again. */
  async #untilFault(context: TurnContext, work: () => Promise<boolean>): Promise<boolean> {
    try {
      return await work();
    } catch (error) {
      context.log(`turn failed: ${error instanceof Error ? error.message : String(error)}`);
      await delay(PAUSE_MS);
      return false;
    }
  }

  async #logout(): Promise<void> {
    try {
      await this.#options.client.call('logout', {}, { timeoutMs: LOGOUT_TIMEOUT_MS });
    } catch (error) {
      // The session has ended already, or the server is away: our exit says the same.
      if (!(error instanceof ToolRefused) && !(error instanceof ToolUnreachable)) throw error;
    }
  }
}

function isFilled(batch: PendingMessages): batch is Batch {
  return batch.source !== null && batch.batch_id !== undefined && batch.pending_messages.length > 0;
}
