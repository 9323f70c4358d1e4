import { AcpFailure } from '../failures.ts';
import type { AcpLimits, AgentConnection } from '../session/agent-connection.ts';
import type { AcpTexts } from '../texts/texts-shape.ts';
import { SilenceWatch } from './silence-watch.ts';
import type { TurnReport } from './turn-report.ts';

const STEP_ID = 'quiet';

export interface TurnSilenceOptions {
  readonly connection: Pick<AgentConnection, 'cancel' | 'close'>;
  readonly limits: AcpLimits;
  readonly report: TurnReport;
  readonly texts: AcpTexts['steps'];
}

/**
 * Bounds how long a turn may be without a sign of the agent: the person is told, then the turn is cancelled, and a
 * program that does not end it then is ended. Some agents ask a model that is at its limit for minutes without a word.
 */
export class TurnSilence {
  readonly #options: TurnSilenceOptions;
  readonly #watch: SilenceWatch;
  readonly #over = Promise.withResolvers<never>();
  #isOver = false;
  #isShown = false;
  #releaseTool: (() => void) | undefined;

  constructor(options: TurnSilenceOptions) {
    this.#options = options;
    this.#over.promise.catch(() => undefined);
    const { quietMs, silentMs } = options.limits;
    this.#watch = new SilenceWatch({
      quietMs,
      silentMs,
      onQuiet: () => this.#show('running'),
      onSilent: () => this.#cancel(),
    });
  }

  /** Whether the turn was cancelled. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Rejects when the agent does not end the turn that was cancelled. */
  get over(): Promise<never> {
    return this.#over.promise;
  }

  get failure(): AcpFailure {
    const seconds = Math.round(this.#options.limits.silentMs / 1_000);
    return new AcpFailure(`nothing came from the agent for ${seconds} s`, (texts) => texts.silent(seconds));
  }

  /** A sign of the agent. */
  heard(): void {
    if (this.#isShown) this.#show('done');
    this.#watch.heard();
  }

  /** A person is asked: no silence counts until what it returns is called. */
  hold(): () => void {
    return this.#watch.hold();
  }

  /** A tool may be silent for as long as it works. */
  toolIsBusy(isBusy: boolean): void {
    if (isBusy) {
      this.#releaseTool ??= this.#watch.hold();
    } else {
      this.#releaseTool?.();
      this.#releaseTool = undefined;
    }
  }

  stop(): void {
    this.#watch.stop();
    if (this.#isShown) this.#show('done');
  }

  #show(status: 'running' | 'done'): void {
    const { limits, report, texts } = this.#options;
    this.#isShown = status === 'running';
    const title = texts.quiet(Math.round(limits.quietMs / 1_000));
    report.step({ id: STEP_ID, kind: 'other', title, status });
  }

  #cancel(): void {
    const { connection, limits } = this.#options;
    this.#isOver = true;
    // Not waited for: a program that hangs may not read its stdin either.
    void connection.cancel();
    const timer = setTimeout(() => {
      this.#over.reject(this.failure);
      void connection.close();
    }, limits.cancelMs);
    timer.unref();
  }
}
