import { randomUUID } from 'node:crypto';
import { keys } from '../../platform/change-log/keys.ts';
import { AppError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { type LanguageModel, ModelError, type ModelImage } from '../../platform/models/model-ports.ts';
import type { SilenceLimits } from '../../platform/models/watchdog.ts';
import type { Person } from '../access/person.ts';
import type { ServiceDeps } from '../deps.ts';
import { requireMemoryNow } from '../memory/memory-access.ts';
import { storeEvents } from '../memory/memory-store.ts';
import { describeImages } from './describe-images.ts';
import { decideVision } from './rules/vision-machine.ts';
import { captureNotFound, modelUnavailable } from './vision-errors.ts';
import {
  claimVision,
  finishVision,
  lockVisionRequest,
  releaseVision,
  renewVision,
  type VisionRow,
} from './vision-queries.ts';

/** How long a process may not be heard of before its answer counts as dead. */
const LEASE_MS = 10_000;
const RENEW_EVERY_MS = 2_000;
/** The whole description. */
const MAX_MS = 180_000;

export interface DescriptionWorkDeps extends ServiceDeps {
  readonly silence: SilenceLimits;
}

type StopReason = 'stopping' | 'lost' | 'too_long';

class DescriptionStop extends Error {
  readonly reason: StopReason;

  constructor(reason: StopReason) {
    super(reason);
    this.reason = reason;
  }
}

/** The answers of people that are being described in this process. Images are in its memory only, until they are. */
export class DescriptionWork {
  readonly #deps: DescriptionWorkDeps;
  readonly #running = new Map<AbortController, Promise<void>>();

  constructor(deps: DescriptionWorkDeps) {
    this.#deps = deps;
  }

  /** Returns when the description is stored. @throws AppError; the request is open again then, if there is time left */
  run(
    person: Person,
    request: VisionRow,
    answer: { model: LanguageModel; images: readonly ModelImage[] },
  ): Promise<void> {
    const abort = new AbortController();
    const work = this.#run(person, request, answer, abort).finally(() => this.#running.delete(abort));
    this.#running.set(abort, work);
    return work;
  }

  /** Ends all; their requests are open again. */
  async close(): Promise<void> {
    const running = [...this.#running];
    for (const [abort] of running) abort.abort(new DescriptionStop('stopping'));
    await Promise.allSettled(running.map(([, work]) => work));
  }

  async #run(
    person: Person,
    request: VisionRow,
    { model, images }: { model: LanguageModel; images: readonly ModelImage[] },
    abort: AbortController,
  ): Promise<void> {
    const claimId = await this.#claim(request.id);
    const late = setTimeout(() => abort.abort(new DescriptionStop('too_long')), MAX_MS);
    const renewing = this.#renew(request.id, claimId, abort);
    try {
      const { source } = request;
      const { silence, config } = this.#deps;
      const asked = { source, images, locale: config.locale, silence, signal: abort.signal };
      await this.#store(person, request, claimId, await describeImages(model, asked));
    } catch (error) {
      await this.#release(request, claimId);
      throw this.#refusalOf(error, request);
    } finally {
      clearInterval(renewing);
      clearTimeout(late);
    }
  }

  /** The first answer; a further one meanwhile is refused. */
  #claim(id: string): Promise<string> {
    return this.#deps.database.transaction(async (tx) => {
      const request = await lockVisionRequest(tx.db, id);
      const now = await tx.now();
      if (!request || decideVision(request, 'claim', now) === undefined) throw captureNotFound(request, now);
      const claimId = randomUUID();
      await claimVision(tx.db, id, { claimId, claimedUntil: leaseFrom(now) });
      return claimId;
    });
  }

  async #store(person: Person, request: VisionRow, claimId: string, description: string): Promise<void> {
    const { agentId, projectId, clientId, id } = request;
    await this.#deps.database.transaction(async (tx) => {
      await requireMemoryNow(tx.db, person, { agentId, projectId: projectId ?? undefined });
      const now = await tx.now();
      const eventId = newId('evt');
      const event = {
        id: eventId,
        projectId,
        clientId,
        threadId: `chat:${projectId ?? ''}:${clientId}`,
        source: 'vision_detail' as const,
        sourceRef: `vision:${id}`,
        actor: person.name,
        caption: description,
        assistantState: 'complete' as const,
        createdAt: now,
      };
      await storeEvents(tx, agentId, [event]);
      if (!(await finishVision(tx.db, id, { claimId, eventId, now }))) throw captureNotFound(undefined, now);
      tx.dirty(keys.vision(agentId));
    });
  }

  async #release({ id, agentId }: VisionRow, claimId: string): Promise<void> {
    const { database, logger } = this.#deps;
    try {
      await database.transaction(async (tx) => {
        await releaseVision(tx.db, id, claimId);
        tx.dirty(keys.vision(agentId));
      });
    } catch (error) {
      // The lease runs out.
      logger.warn({ err: error, requestId: id }, 'a request for an image was not opened again');
    }
  }

  #renew(id: string, claimId: string, abort: AbortController): NodeJS.Timeout {
    const { database, logger } = this.#deps;
    const renew = async () => {
      const claimedUntil = leaseFrom(await database.now());
      if (!(await renewVision(database.db, id, { claimId, claimedUntil })))
        abort.abort(new DescriptionStop('lost'));
    };
    return setInterval(
      () =>
        void renew().catch((error: unknown) =>
          logger.warn({ err: error, requestId: id }, 'a description was not renewed'),
        ),
      RENEW_EVERY_MS,
    );
  }

  /** Without what the server of the model says: some repeat what they were sent. */
  #refusalOf(error: unknown, { id }: VisionRow): unknown {
    const { logger, config } = this.#deps;
    if (error instanceof DescriptionStop) {
      if (error.reason === 'stopping')
        return new AppError('unavailable', 'The server is stopping.', { retryAfterSeconds: 2 });
      return error.reason === 'lost' ? captureNotFound() : modelUnavailable(config.locale, 'broken');
    }
    if (!(error instanceof ModelError)) return error;
    logger.warn({ requestId: id, kind: error.kind, status: error.status }, 'images were not described');
    return modelUnavailable(config.locale, error.kind === 'refused' ? 'refused' : 'broken');
  }
}

function leaseFrom(now: Date): Date {
  return new Date(now.getTime() + LEASE_MS);
}
