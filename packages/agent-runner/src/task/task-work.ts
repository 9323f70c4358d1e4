import type { Conversation } from '@aizuchi/shared/contract/conversation';
import type { MyTask } from '@aizuchi/shared/contract/tools/task-tools';
import { ToolRefused } from '@aizuchi/shared/mcp-client/tool-errors';
import { z } from 'zod';
import { aborted } from '../aborted.ts';
import type { ConversationOver } from '../driver.ts';
import { storableSentence } from '../turn/answer-text.ts';
import type { CardResolution } from '../turn/early-outcomes.ts';
import type { TurnContext } from '../turn/turn-context.ts';
import { within } from '../within.ts';
import {
  ASK_TO_REPORT,
  conversationNote,
  NOTHING_TO_WAIT_FOR,
  saidReport,
  taskPrompt,
} from './task-prompt.ts';
import { reportTexts } from './task-report-texts.ts';
import { taskSentence } from './task-sentence.ts';
import { TaskTurn, type TaskTurnEnd } from './task-turn.ts';

/** An agent that has reported says its last words. The server ends the process 15 s after it has said exit. */
const LAST_WORDS_MS = 5_000;
const STOP_LIMIT_MS = 6_000;
const REFUSED_WAIT_MS = 3_000;

const severalSchema = z.object({ conversation_ids: z.array(z.string()) });

type WorkState = 'new' | 'working' | 'waiting' | 'over';

/** The work of a session on its task, beside the loop that hears when it has to stop. */
export class TaskWork {
  readonly #context: TurnContext;
  readonly #cut = new AbortController();
  /** Conversations that are over, for the next prompt. */
  readonly #notes: string[] = [];
  /** Their ids, those of which no action told as well. */
  readonly #heardOver = new Set<string>();
  readonly #seenLive = new Set<string>();
  /** The end that the last look at the conversations saw, and of which the server may still tell. */
  #endSeen: string | undefined;
  #taskId: string | undefined;
  #state: WorkState = 'new';
  #turn: TaskTurn | undefined;
  #turnCount = 0;
  /** It was told once that there is nothing to wait for. */
  #isToldToGoOn = false;
  #running: Promise<void> = Promise.resolve();
  readonly #failed = Promise.withResolvers<never>();

  constructor(context: TurnContext) {
    this.#context = context;
    this.#failed.promise.catch(() => undefined);
  }

  /** Rejects when the work has failed: the session must end, and the task is tried again. */
  get failed(): Promise<never> {
    return this.#failed.promise;
  }

  get hasBegun(): boolean {
    return this.#state !== 'new';
  }

  get isBusy(): boolean {
    return this.#state === 'working';
  }

  /** Told again while it works: it goes on. */
  begin(): void {
    if (this.#state === 'new') this.#start(taskPrompt);
  }

  /** True: the card is one of this work. */
  resolve(resolution: CardResolution): boolean {
    if (!this.#turn?.waitsFor(resolution)) return false;
    this.#turn.resolve(resolution);
    return true;
  }

  /** A conversation that the agent has begun from its task: the work that waits for it goes on. */
  conversationOver({ id, reason, unread }: ConversationOver): false {
    this.#heardOver.add(id);
    this.#notes.push(conversationNote(id, reason, unread));
    if (this.#state === 'waiting') this.#start(() => this.#takeNotes());
    return false;
  }

  /**
   * The work that waits goes on when it waits for nothing: of an end that the agent has made itself, or has seen in the turn
   * that answered a message, no action of the server tells. `isAllTold`: the server had nothing to tell when it answered. An
   * end that is first seen after that may have come later, and is told next.
   */
  async goOnIfAlone(isAllTold: boolean): Promise<void> {
    if (this.#state !== 'waiting') return;
    let last: Conversation | undefined;
    try {
      last = await this.#lastConversation();
    } catch (error) {
      // The session ends: the next action tells why.
      if (error instanceof ToolRefused || this.#cut.signal.aborted) return;
      throw error;
    }
    if (isLive(last) || this.#state !== 'waiting') return;
    if (last && this.#willHearOf(last)) {
      const isNew = this.#endSeen !== last.id;
      this.#endSeen = last.id;
      if (isNew || !isAllTold) return;
      this.#heardOver.add(last.id);
    }
    this.#isToldToGoOn = true;
    this.#start(() => NOTHING_TO_WAIT_FOR);
  }

  /** The session ends. An agent that has reported itself may finish its turn; any other is interrupted. */
  async stop(reason: string): Promise<void> {
    if (reason === 'task_done') await within(LAST_WORDS_MS, this.#running);
    await this.interrupt(STOP_LIMIT_MS);
  }

  async interrupt(limitMs: number): Promise<void> {
    this.#cut.abort();
    await within(limitMs, this.#running);
  }

  #start(promptOf: (task: MyTask) => string): void {
    this.#state = 'working';
    this.#running = this.#work(promptOf).then(
      (state) => {
        this.#state = state;
        // It ended while the agent was about to wait.
        if (state === 'waiting' && this.#notes.length > 0) this.#start(() => this.#takeNotes());
      },
      async (error: unknown) => {
        // A refusal may be the first that is seen of an end which the next action tells with its reason.
        if (error instanceof ToolRefused) await within(REFUSED_WAIT_MS, aborted(this.#cut.signal));
        this.#state = 'over';
        if (!this.#cut.signal.aborted) this.#failed.reject(error);
      },
    );
  }

  #takeNotes(): string {
    return this.#notes.splice(0).join('\n\n');
  }

  async #work(promptOf: (task: MyTask) => string): Promise<WorkState> {
    const mine = await this.#read();
    this.#taskId = mine.task.task_id;
    // It has reported in the turn that answered a message, or a person has moved it.
    if (mine.task.status !== 'in_progress') return 'over';
    const first = await this.#say(mine, promptOf(mine));
    if (await this.#isOver(mine, first)) return 'over';
    if (this.#notes.length > 0) return 'waiting';
    const asked = await this.#say(mine, ASK_TO_REPORT);
    if (await this.#isOver(mine, asked)) return 'over';
    const { result, summary } = saidReport(asked.text);
    if (result === 'waiting' && (await this.#mayWait())) return 'waiting';
    await this.#report(
      result === 'done' ? 'done' : 'blocked',
      summary || first.text || reportTexts(mine.task).silent,
    );
    return 'over';
  }

  /** Only for news that will come. It is told so once; then a person has to look. */
  async #mayWait(): Promise<boolean> {
    const last = await this.#lastConversation();
    if (this.#notes.length > 0) return true;
    if (isLive(last)) {
      this.#isToldToGoOn = false;
      return true;
    }
    if (last && this.#willHearOf(last)) return true;
    if (this.#isToldToGoOn) return false;
    this.#isToldToGoOn = true;
    this.#notes.push(NOTHING_TO_WAIT_FOR);
    return true;
  }

  /** It is one of this task, and its end is still to be told. */
  #willHearOf(last: Conversation): boolean {
    if (isLive(last) || last.taskId !== this.#taskId || last.endedBy === this.#context.agentId) return false;
    // Of one that was over before this process had seen it an earlier attempt has heard.
    const isUntold = last.state === 'terminating' || this.#seenLive.has(last.id);
    return isUntold && !this.#heardOver.has(last.id);
  }

  /** The one that it is in, else the last one of its agent; undefined: there is none. Of several the first. */
  async #lastConversation(): Promise<Conversation | undefined> {
    const last = await this.#readConversation();
    if (last && isLive(last)) this.#seenLive.add(last.id);
    return last;
  }

  async #readConversation(conversationId?: string): Promise<Conversation | undefined> {
    const named = conversationId !== undefined ? { conversation_id: conversationId } : {};
    const call = { ...named, limit: 1 };
    const { signal } = this.#cut;
    try {
      const read = await this.#context.client.callUntilAnswered('get_conversation_messages', call, {
        signal,
      });
      return read.conversation;
    } catch (error) {
      if (!(error instanceof ToolRefused)) throw error;
      if (error.code === 'no_active_conversation') return undefined;
      const [first] = severalSchema.safeParse(error.details).data?.conversation_ids ?? [];
      if (error.code !== 'conversation_id_required' || first === undefined) throw error;
      return this.#readConversation(first);
    }
  }

  #read(): Promise<MyTask> {
    return this.#context.client.callUntilAnswered('get_my_task', {}, { signal: this.#cut.signal });
  }

  async #say(mine: MyTask, prompt: string): Promise<TaskTurnEnd> {
    this.#turnCount += 1;
    const { signal } = this.#cut;
    const turn = new TaskTurn(this.#context, signal, this.#turnCount);
    this.#turn = turn;
    const id = `${mine.task.task_id}:${mine.attempt}:${this.#turnCount}`;
    return turn.run(mine, { id, prompt });
  }

  /** Reported, taken away, or failed with a reason that a person has to remove. */
  async #isOver(mine: MyTask, { end, text }: TaskTurnEnd): Promise<boolean> {
    const { signal } = this.#cut;
    if (signal.aborted || end.reason === 'interrupted') return true;
    if ((await this.#read()).task.status !== 'in_progress') return true;
    if (end.reason !== 'failed') return false;
    const { log, hide } = this.#context;
    log(`the turn failed: ${hide(end.error)}`);
    // Without a sentence nobody knows what to do: the process fails, and the next attempt goes on.
    if (end.sentence === undefined) throw new Error(`the work on the task failed: ${hide(end.error)}`);
    const why = taskSentence(end.sentence);
    // Said once.
    const again = why === end.sentence ? reportTexts(mine.task).again : '';
    const parts = [text, storableSentence(hide(why)), again];
    await this.#report('blocked', parts.filter(Boolean).join('\n\n'));
    return true;
  }

  async #report(result: 'done' | 'blocked', summary: string): Promise<void> {
    const call = { result, summary: fitSummary(summary), idempotency_key: `report:${this.#turnCount}` };
    try {
      await this.#context.client.callUntilAnswered('report_completed', call, { signal: this.#cut.signal });
    } catch (error) {
      // Somebody has moved it meanwhile: the next action says so.
      if (!(error instanceof ToolRefused && error.code === 'task_not_in_progress')) throw error;
    }
  }

  /** Until the work is over, or a second has passed: the loop asks again whether it has to stop. */
  async untilFree(ms: number): Promise<void> {
    await within(ms, Promise.race([this.#running, aborted(this.#cut.signal)]));
  }
}

const SUMMARY_LENGTH = 19_000;

function fitSummary(text: string): string {
  const points = [...text];
  return points.length <= SUMMARY_LENGTH ? text : `${points.slice(0, SUMMARY_LENGTH).join('')} …`;
}

function isLive(conversation: Conversation | undefined): boolean {
  return conversation?.state === 'pending' || conversation?.state === 'active';
}
