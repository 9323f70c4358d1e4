import type { Message } from '@aizuchi/shared/contract/chat';
import type { MyTask } from '@aizuchi/shared/contract/tools/task-tools';
import { aborted } from '../aborted.ts';
import type { DriverSession, Turn } from '../driver.ts';
import { consumeEvents, type Progress } from '../turn/consume-events.ts';
import type { CardResolution } from '../turn/early-outcomes.ts';
import { TurnCards } from '../turn/turn-cards.ts';
import type { TurnContext } from '../turn/turn-context.ts';
import { toTurnUsage } from '../turn/turn-usage.ts';
import type { TurnEnd, Usage } from '../turn-events.ts';
import { TaskProgress } from './task-progress.ts';

export interface TaskTurnEnd {
  readonly end: TurnEnd;
  /** What the agent has written. */
  readonly text: string;
}

/**
 * One prompt for the driver about the task. What comes of it is shown with the attempt and is in the log of the run; nothing
 * of it is in the chat.
 */
export class TaskTurn {
  readonly #context: TurnContext;
  readonly #signal: AbortSignal;
  readonly #cards: TurnCards;
  readonly #progress: TaskProgress;
  readonly #shownSteps = new Set<string>();
  #usage: Usage | undefined;

  /** `count`: which turn of the attempt, from 1. */
  constructor(context: TurnContext, signal: AbortSignal, count: number) {
    this.#context = context;
    this.#signal = signal;
    this.#cards = new TurnCards(context, signal, {
      onWaiting: async () => undefined,
      onCancelled: async () => undefined,
    });
    this.#progress = new TaskProgress(context, count);
  }

  waitsFor(card: Pick<CardResolution, 'kind' | 'toolUseId'>): boolean {
    return this.#cards.waitsFor(card);
  }

  resolve(resolution: CardResolution): void {
    this.#cards.resolve(resolution);
  }

  /** Never rejects. `id`: the same for the same prompt. */
  async run(task: MyTask, { id, prompt }: { id: string; prompt: string }): Promise<TaskTurnEnd> {
    const startedAt = performance.now();
    const end = await this.#drive(task, messageOf(task, id, prompt));
    this.#cards.close();
    const { log, unreported } = this.#context;
    const text = (await this.#progress.finish(end.reason === 'done')).trim();
    if (text !== '') log(`it wrote: ${text}`);
    if (this.#usage) await unreported.usage(toTurnUsage(this.#usage, performance.now() - startedAt));
    return { end, text };
  }

  async #drive(task: MyTask, message: Message): Promise<TurnEnd> {
    const { sessions, client, agentId, agentName, interruptLimitMs, log } = this.#context;
    const signal = this.#signal;
    let session: DriverSession | undefined;
    try {
      session = await Promise.race([sessions.open(), aborted(signal)]);
    } catch (error) {
      return { type: 'end', reason: 'failed', error: `the agent could not be started: ${error}` };
    }
    if (!session) return { type: 'end', reason: 'interrupted' };
    const opened = session;
    const turn: Turn = {
      agentId,
      agentName,
      source: { kind: 'chat' },
      messages: [message],
      context: [],
      task,
      tools: { call: (name, args) => client.callUntilAnswered(name, args, { signal }) },
      signal,
      ask: (questions) => this.#cards.ask(questions),
      approve: (request) => this.#cards.approve(request),
    };
    const { end, isBroken } = await consumeEvents(() => opened.run(turn), {
      onProgress: (event) => this.#take(event),
      signal,
      interruptLimitMs,
      log,
    });
    if (isBroken) sessions.replace(opened);
    return end;
  }

  #take(event: Progress): void {
    switch (event.type) {
      case 'text':
        this.#progress.push(event.text);
        break;
      case 'truncate':
        this.#progress.truncate(event.length);
        break;
      case 'usage':
        this.#usage = event.usage;
        break;
      case 'step': {
        this.#progress.step(event.step);
        const { id, kind, title, status } = event.step;
        const key = `${id} ${status}`;
        if (kind === 'thought' || this.#shownSteps.has(key)) return;
        this.#shownSteps.add(key);
        this.#context.log(`step ${status}: ${this.#context.hide(title)}`);
      }
    }
  }
}

/** Drivers work on messages: this one is nowhere but here. */
function messageOf({ task }: MyTask, id: string, content: string): Message {
  return {
    id,
    projectId: '',
    senderId: 'system',
    senderName: 'System',
    sender: 'system',
    content,
    createdAt: new Date().toISOString(),
    visible: false,
    relatedTaskId: task.task_id,
    state: 'delivered',
    seq: 0,
  };
}
