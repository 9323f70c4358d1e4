import type { Logger } from '@aizuchi/shared/platform/logger';
import type { RunHandle } from '../executor/executor.ts';

interface MemoryReadingsOptions {
  readonly handles: () => Iterable<readonly [string, Pick<RunHandle, 'memoryMb'>]>;
  readonly logger: Logger;
  /** In milliseconds, of a clock that never goes back. */
  readonly now?: () => number;
}

/** A reading looks at each process of each run; what a run needs changes slowly, once it has begun. */
const READ_EACH_MS = 30_000;
const BEGINNING_MS = 5_000;

/**
 * What the runs need, read beside the beats and told with them: without a timer of its own, and only what has changed, so
 * that runs at rest cost the server nothing.
 */
export class MemoryReadings {
  readonly #options: MemoryReadingsOptions;
  readonly #runs = new Map<string, { readMb?: number; toldMb?: number; dueAt: number }>();
  #reading: Promise<void> | undefined;

  constructor(options: MemoryReadingsOptions) {
    this.#options = options;
  }

  /** What is not told yet; begins the readings that are due. */
  changed(): { run_id: string; memory_mb: number }[] {
    this.#reading ??= this.#read()
      .catch((error: unknown) => this.#options.logger.warn({ err: error }, 'memory of runs not read'))
      .finally(() => {
        this.#reading = undefined;
      });
    return [...this.#runs].flatMap(([runId, { readMb, toldMb }]) =>
      readMb === undefined || readMb === toldMb ? [] : [{ run_id: runId, memory_mb: readMb }],
    );
  }

  /** The server has these. */
  told(readings: readonly { readonly run_id: string; readonly memory_mb: number }[]): void {
    for (const { run_id: runId, memory_mb: toldMb } of readings) {
      const run = this.#runs.get(runId);
      if (run) run.toldMb = toldMb;
    }
  }

  /** Resolves when no reading is under way. */
  async settled(): Promise<void> {
    await this.#reading;
  }

  async #read(): Promise<void> {
    const now = this.#options.now?.() ?? performance.now();
    const handles = new Map(this.#options.handles());
    for (const runId of this.#runs.keys()) if (!handles.has(runId)) this.#runs.delete(runId);
    await Promise.all(
      [...handles].map(async ([runId, handle]) => {
        const run = this.#runs.get(runId) ?? { dueAt: now };
        this.#runs.set(runId, run);
        if (run.dueAt > now) return;
        run.dueAt = now + (run.readMb === undefined ? BEGINNING_MS : READ_EACH_MS);
        const readMb = await handle.memoryMb();
        if (readMb !== undefined) run.readMb = readMb;
      }),
    );
  }
}
