import { setTimeout as delay } from 'node:timers/promises';
import type { NextAction } from '@aizuchi/shared/contract/tools/next-action';
import { nextActionSchema } from '@aizuchi/shared/contract/tools/next-action';
import { ToolRefused, ToolUnreachable } from '@aizuchi/shared/mcp-client/tool-errors';
import type { ConversationOver } from './driver.ts';
import { type AgentLoopOptions, type BegunSession, beginSession } from './session/begin-session.ts';
import type { CardResolution } from './turn/early-outcomes.ts';
import { toOutcome } from './turn/request-approval.ts';

/** Exit codes of the runner: what the Coordinator reports of it. */
export const RUNNER_EXIT = { done: 0, failed: 1, launch: 2, refused: 3 } as const;

const HOLD_SECONDS = 25;
const CALL_RESERVE_MS = 15_000;
const LOGOUT_TIMEOUT_MS = 2_000;
/** After an action that has no use here: no fault becomes a loop without a pause. */
const PAUSE_MS = 1_000;

/**
 * The life of one session: sign in, ask what to do, do it, until the server says to leave. Every call is repeated until
 * the server answers it, and repeating is harmless because the calls carry keys.
 */
export class AgentLoop {
  readonly #options: AgentLoopOptions;
  #begun: BegunSession | undefined;
  #closed: Promise<void> | undefined;

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
    this.#begun = beginSession(this.#options, signedIn);
    try {
      while (!(await this.#step(this.#begun))) {
        // Each step waits for the server.
      }
    } catch (error) {
      if (!(error instanceof ToolRefused)) throw error;
      log(`the server ended this session: ${error.code}: ${error.message}`);
      return RUNNER_EXIT.failed;
    } finally {
      await this.close();
    }
    await this.#logout();
    return RUNNER_EXIT.done;
  }

  /** Ends the turns and closes the driver's session, in a bounded time. Idempotent. */
  close(): Promise<void> {
    this.#closed ??= this.#begun?.close() ?? Promise.resolve();
    return this.#closed;
  }

  /** One action of the server; true when the session is over. */
  async #step({ turns, taskWork }: BegunSession): Promise<boolean> {
    const { log } = this.#options;
    const goOn = (card: CardResolution) => (taskWork.resolve(card) ? false : turns.goOn(card));
    const over = (conversation: ConversationOver) =>
      taskWork.hasBegun ? taskWork.conversationOver(conversation) : turns.conversationOver(conversation);
    const next = this.#nextAction();
    const action = await (taskWork.hasBegun ? Promise.race([next, taskWork.failed]) : next);
    switch (action.action) {
      case 'exit':
      case 'logout':
        log(`leaving: ${action.action} (${action.reason})`);
        await taskWork.stop(action.reason);
        await turns.finish();
        return true;
      case 'get_pending_messages':
        // The driver works on the task: the loop still has to hear when that is to stop.
        if (taskWork.isBusy) {
          await taskWork.untilFree(PAUSE_MS);
          if (taskWork.isBusy) return false;
        }
        if (await turns.answerNext()) return true;
        await taskWork.goOnIfAlone(false);
        return false;
      case 'question_resolved':
        return goOn({
          kind: 'question',
          toolUseId: action.tool_use_id,
          outcome: { status: action.status, answers: action.answers ?? {} },
        });
      case 'approval_resolved':
        return goOn({
          kind: 'approval',
          toolUseId: action.tool_use_id,
          outcome: toOutcome(action.status, action.note),
        });
      case 'wait_for_messages':
        if (action.superseded) await delay(PAUSE_MS);
        else if (action.wait_seconds > 0) await delay(action.wait_seconds * 1000);
        await taskWork.goOnIfAlone(true);
        return false;
      case 'conversation_request':
        // Its first message follows, and the driver reads there what it is about.
        return false;
      case 'conversation_ended': {
        const { conversation_id: id, reason, unread_messages: unread } = action;
        return over({ id, reason, unread });
      }
      case 'conversation_expired':
        return over({ id: action.conversation_id, reason: 'expired', unread: [] });
      case 'work_on_task':
        taskWork.begin();
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

  async #logout(): Promise<void> {
    try {
      await this.#options.client.call('logout', {}, { timeoutMs: LOGOUT_TIMEOUT_MS });
    } catch (error) {
      // The session has ended already, or the server is away: our exit says the same.
      if (!(error instanceof ToolRefused) && !(error instanceof ToolUnreachable)) throw error;
    }
  }
}
