import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { StartError } from '../../launch/start-error.ts';
import type { RunErrorTexts } from '../../texts/run-errors.ts';
import { type DockerEngine, EngineRefused, EngineUnreachable } from './docker-engine.ts';
import { pullQueryOf } from './image-name.ts';

/** Less than the time in which an agent must have signed in: who waits is told by us. */
const WAIT_MS = 240_000;
/** A pull goes on for the next start when nobody waits any more. */
const PULL_MS = 3_600_000;
/** Each is a line in the log of the run. */
const STEP_PERCENT = 10;
const WHOLE = 100;

export interface PullOptions {
  readonly engine: DockerEngine;
  readonly image: string;
  readonly texts: RunErrorTexts;
  readonly waitMs?: number | undefined;
}

interface Waiting {
  /** It is not needed any more. */
  readonly signal?: AbortSignal | undefined;
  /** How far it is, and the same as a line for the log of the run. */
  readonly told: (percent: number, line: string) => void;
}

const lineSchema = z.object({
  id: z.string().optional(),
  status: z.string().optional(),
  error: z.string().optional(),
  progressDetail: z.object({ current: z.number().optional(), total: z.number().optional() }).optional(),
});

/** The image of runs, pulled when the engine does not have it: once for all runs that need it at the time. */
export class ImagePull {
  readonly #options: PullOptions;
  readonly #listeners = new Set<(percent: number) => void>();
  #percent = 0;
  #pulling: Promise<void> | undefined;

  constructor(options: PullOptions) {
    this.#options = options;
  }

  /** Resolves when the engine has it. Throws StartError with what to do; when it takes long, the pull goes on. */
  async wait({ signal, told: tell }: Waiting): Promise<void> {
    const { image, texts, waitMs = WAIT_MS } = this.#options;
    const told = (percent: number) => tell(percent, texts.pulling(image, percent).text);
    this.#pulling ??= this.#pull().finally(() => {
      this.#pulling = undefined;
    });
    this.#listeners.add(told);
    told(this.#percent);
    const late = new AbortController();
    try {
      await Promise.race([
        this.#pulling,
        delay(waitMs, undefined, {
          ref: false,
          signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal,
        }).then(() => {
          throw new StartError(texts.pullLate(image, this.#percent));
        }),
      ]);
    } finally {
      late.abort();
      this.#listeners.delete(told);
    }
  }

  async #pull(): Promise<void> {
    const { engine, image, texts } = this.#options;
    const layers = new Map<string, { current: number; total: number }>();
    this.#percent = 0;
    try {
      const query = pullQueryOf(image);
      const signal = AbortSignal.timeout(PULL_MS);
      for await (const line of engine.lines({ method: 'POST', path: '/images/create', query, signal }))
        this.#note(lineSchema.parse(line), layers);
    } catch (error) {
      if (error instanceof EngineRefused || error instanceof EngineUnreachable)
        throw new StartError(texts.pullFailed(image, error.message));
      throw error;
    }
  }

  #note({ id, status, error, progressDetail }: z.infer<typeof lineSchema>, layers: Layers): void {
    // Said in the middle of an answer that began well.
    if (error !== undefined) throw new StartError(this.#options.texts.pullFailed(this.#options.image, error));
    if (id === undefined) return;
    const { current, total } = progressDetail ?? {};
    if (status === 'Downloading' && current !== undefined && total) layers.set(id, { current, total });
    const layer = layers.get(id);
    if (layer && (status === 'Download complete' || status === 'Pull complete')) layer.current = layer.total;
    this.#tell(percentOf(layers));
  }

  #tell(percent: number): void {
    // A layer that is announced late makes the whole larger: what was told is not taken back.
    if (percent < this.#percent + STEP_PERCENT) return;
    this.#percent = percent;
    for (const told of this.#listeners) told(percent);
  }
}

type Layers = Map<string, { current: number; total: number }>;

function percentOf(layers: Layers): number {
  const all = [...layers.values()];
  const total = all.reduce((sum, layer) => sum + layer.total, 0);
  const current = all.reduce((sum, layer) => sum + layer.current, 0);
  return total === 0 ? 0 : Math.floor((WHOLE * current) / total);
}
