import { setTimeout as delay } from 'node:timers/promises';
import type { NextAction } from '@aizuchi/shared/contract/tools/next-action';
import { nextActionSchema } from '@aizuchi/shared/contract/tools/next-action';
import type { ToolClient } from '@aizuchi/shared/mcp-client/tool-client';
import { ToolRefused, ToolUnreachable } from '@aizuchi/shared/mcp-client/tool-errors';
import type { Driver } from './driver.ts';
import { answerBatch, type TurnContext } from './turn.ts';

export interface AgentLoopOptions {
  readonly client: ToolClient;
  readonly driver: Driver;
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
      agentName: signedIn.agent_name ?? '',
    };
    try {
      while (!(await this.#step(context))) {
        // Each step waits for the server.
      }
    } catch (error) {
      if (!(error instanceof ToolRefused)) throw error;
      log(`the server ended this session: ${error.code}: ${error.message}`);
      return RUNNER_EXIT.failed;
    }
    await this.#logout();
    return RUNNER_EXIT.done;
  }

  /** One question and what follows from it; true when it is time to leave. */
  async #step(context: TurnContext): Promise<boolean> {
    const action = await this.#nextAction();
    switch (action.action) {
      case 'exit':
      case 'logout':
        context.log(`leaving: ${action.action} (${action.reason})`);
        return true;
      case 'get_pending_messages':
        return this.#answer(context);
      case 'wait_for_messages':
        if (action.superseded) await delay(PAUSE_MS);
        else if (action.wait_seconds > 0) await delay(action.wait_seconds * 1000);
        return false;
      case 'conversation_request':
      case 'conversation_ended':
      case 'conversation_expired':
      case 'question_resolved':
        return false;
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

  async #answer(context: TurnContext): Promise<boolean> {
    const batch = await context.client.callUntilAnswered('get_pending_messages', {});
    try {
      return (await answerBatch(batch, context)) === 'stop';
    } catch (error) {
      // Also when the session ended meanwhile: the next question tells, and the messages are given out again.
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
