import { STEP_LIMITS, type Step as StepArgument } from '@aizuchi/shared/contract/step';
import type { StepRefusal } from '@aizuchi/shared/contract/tools/session';
import { ToolRefused, ToolUnreachable } from '@aizuchi/shared/mcp-client/tool-errors';
import type { Step } from '../turn-events.ts';
import type { AnswerId } from './answer-id.ts';
import { pause } from './pause.ts';
import { changesSince, toReportedStep, updated } from './reported-step.ts';

export interface StepStreamOptions {
  readonly answerId: AnswerId;
  readonly send: (
    messageId: string,
    step: StepArgument,
    signal: AbortSignal,
  ) => Promise<StepRefusal | undefined>;
  readonly log: (sentence: string) => void;
  /** So many are shown; default: as many as an answer may have. */
  readonly maxSteps?: number;
}

/** A step that changes faster is reported with its newest state, five times a second. */
const MIN_REPORT_INTERVAL_MS = 200;
const RETRY_AFTER_MS = 500;
const TOO_FAST_MS = 2_000;
/**
 * The answer waits no longer for its last steps, which are lost then. It goes to the same server: one that is stopped for
 * some seconds would not take it earlier.
 */
const FINISH_LIMIT_MS = 5_000;
/** What is cut short waits less: those who stop it wait for it. */
const CUT_LIMIT_MS = 2_000;

interface Entry {
  step: StepArgument;
  /** What the server has of it under the current id. */
  sent: StepArgument | undefined;
  dueAt: number;
}

/**
 * Shows what the agent does. One report is sent at a time, first reports in their order; of a step that changes meanwhile
 * only the newest state follows. Nothing waits for it but the end of the turn, and that for a bounded time. A report that
 * fails is sent again; steps that the server refuses are left out.
 */
export class StepStream {
  readonly #options: StepStreamOptions;
  readonly #entries = new Map<string, Entry>();
  /** In the order in which they changed; a first report comes before all later ones. */
  readonly #waiting = new Set<Entry>();
  readonly #stop = new AbortController();
  #sending: Promise<void> | undefined;
  #isFinishing = false;
  #wake: () => void = () => undefined;
  #isFull = false;

  constructor(options: StepStreamOptions) {
    this.#options = options;
  }

  push(step: Step): void {
    if (this.#stop.signal.aborted) return;
    const reported = toReportedStep(step);
    const entry = this.#entries.get(reported.id);
    if (entry) entry.step = updated(entry.step, reported);
    else if (this.#entries.size < this.#maxSteps) this.#begin(reported);
    else this.#noteFull();
    const changed = this.#entries.get(reported.id);
    if (changed) this.#wait(changed);
  }

  /** The answer is shown under another id: so are its steps, all of them. */
  restart(): void {
    this.#waiting.clear();
    for (const entry of this.#entries.values()) {
      entry.sent = undefined;
      entry.dueAt = 0;
      this.#wait(entry);
    }
  }

  /**
   * What still runs has ended with the turn. Resolves when everything is reported, so that nothing arrives after the
   * answer, or after `limitMs`.
   */
  async finish(
    status: 'done' | 'failed',
    limitMs = status === 'done' ? FINISH_LIMIT_MS : CUT_LIMIT_MS,
  ): Promise<void> {
    for (const entry of this.#entries.values()) {
      if (entry.step.status !== 'running') continue;
      entry.step = { ...entry.step, status };
      this.#wait(entry);
    }
    this.#isFinishing = true;
    this.#wake();
    if (!(await this.#sentWithin(limitMs)))
      this.#options.log(`the last steps could not be shown in ${limitMs} ms`);
    this.#stop.abort();
  }

  /** Reports nothing more. Resolves when no report is under way, or after `limitMs`. */
  async abandon(limitMs = CUT_LIMIT_MS): Promise<void> {
    this.#stop.abort();
    await this.#sentWithin(limitMs);
  }

  get #maxSteps(): number {
    return this.#options.maxSteps ?? STEP_LIMITS.steps;
  }

  #begin(step: StepArgument): void {
    this.#entries.set(step.id, { step, sent: undefined, dueAt: 0 });
  }

  #noteFull(): void {
    if (!this.#isFull) this.#options.log(`more than ${this.#maxSteps} steps: the others are not shown`);
    this.#isFull = true;
  }

  #wait(entry: Entry): void {
    this.#waiting.add(entry);
    this.#wake();
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
  }

  async #sendAll(): Promise<void> {
    const { signal } = this.#stop;
    while (this.#waiting.size > 0 && !signal.aborted) {
      const now = performance.now();
      const entry = [...this.#waiting].find(({ dueAt }) => this.#isFinishing || dueAt <= now);
      if (entry) await this.#sendOne(entry);
      else {
        const dueAt = Math.min(...[...this.#waiting].map((one) => one.dueAt));
        const onPause = (wake: () => void) => {
          this.#wake = wake;
        };
        await pause(dueAt - now, { signal, onPause });
      }
    }
  }

  async #sendOne(entry: Entry): Promise<void> {
    const { answerId, send, log } = this.#options;
    const { step } = entry;
    const messageId = answerId.forReport();
    this.#waiting.delete(entry);
    entry.dueAt = performance.now() + MIN_REPORT_INTERVAL_MS;
    try {
      const refusal = await send(messageId, changesSince(step, entry.sent), this.#stop.signal);
      if (messageId !== answerId.value) return;
      if (refusal === undefined) entry.sent = step;
      else if (refusal === 'too_fast') await this.#again(entry, TOO_FAST_MS);
      else if (refusal !== 'too_many_steps') this.#giveUp(refusal);
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      if (error instanceof ToolUnreachable) await this.#again(entry, RETRY_AFTER_MS);
      else if (error instanceof ToolRefused && error.code !== 'unauthenticated')
        log(`step "${step.title}" is not shown: ${error.code}: ${error.message}`);
      else this.#giveUp(String(error));
    }
  }

  /** In its place: the steps behind it wait, too. */
  async #again(entry: Entry, afterMs: number): Promise<void> {
    const behind = [...this.#waiting];
    this.#waiting.clear();
    for (const one of [entry, ...behind]) this.#waiting.add(one);
    await pause(afterMs, { signal: this.#stop.signal });
  }

  #giveUp(reason: string): void {
    this.#options.log(`steps are not shown any more: ${reason}`);
    this.#stop.abort();
  }

  #sentWithin(ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), ms);
      void Promise.resolve(this.#sending).then(() => {
        clearTimeout(timer);
        resolve(true);
      });
    });
  }
}
