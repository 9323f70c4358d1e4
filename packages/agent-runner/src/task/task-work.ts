import type { MyTask } from '@aizuchi/shared/contract/tools/task-tools';
import { ToolRefused } from '@aizuchi/shared/mcp-client/tool-errors';
import { aborted } from '../aborted.ts';
import type { ConversationOver } from '../driver.ts';
import { storableSentence } from '../turn/answer-text.ts';
import type { CardResolution } from '../turn/early-outcomes.ts';
import type { TurnContext } from '../turn/turn-context.ts';
import { within } from '../within.ts';
import { ASK_TO_REPORT, conversationNote, saidReport, taskPrompt } from './task-prompt.ts';
import { reportTexts } from './task-report-texts.ts';
import { taskSentence } from './task-sentence.ts';
import { TaskTurn, type TaskTurnEnd } from './task-turn.ts';

/** An agent that has reported says its last words. The server ends the process 15 s after it has said exit. */
const LAST_WORDS_MS = 5_000;
const STOP_LIMIT_MS = 6_000;
const REFUSED_WAIT_MS = 3_000;

type WorkState = 'new' | 'working' | 'waiting' | 'over';

/** The work of a session on its task, beside the loop that hears when it has to stop. */
export class TaskWork {
  readonly #context: TurnContext;
  readonly #cut = new AbortController();
  /** Conversations that are over, for the next prompt. */
  readonly #notes: string[] = [];
  #state: WorkState = 'new';
  #turn: TaskTurn | undefined;
  #turnCount = 0;
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
    this.#notes.push(conversationNote(id, reason, unread));
    if (this.#state === 'waiting') this.#start(() => this.#takeNotes());
    return false;
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
    const first = await this.#say(mine, promptOf(mine));
    if (await this.#isOver(mine, first)) return 'over';
    if (this.#notes.length > 0) return 'waiting';
    const asked = await this.#say(mine, ASK_TO_REPORT);
    if (await this.#isOver(mine, asked)) return 'over';
    const { result, summary } = saidReport(asked.text);
    if (result === 'waiting') return 'waiting';
    await this.#report(result, summary || first.text || reportTexts(mine.task).silent);
    return 'over';
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
