import {
  type AgentEvent,
  type CaptureRequestBody,
  type CaptureResponseBody,
  type EventStreamQuery,
  VISION_TIMEOUT_MS,
  type VisionEnd,
} from '../../contract/vision.ts';
import { keys } from '../../platform/change-log/keys.ts';
import { AppError } from '../../platform/errors.ts';
import { Turnstile } from '../../platform/http/turnstile.ts';
import { newId } from '../../platform/ids.ts';
import type { LanguageModel } from '../../platform/models/model-ports.ts';
import type { SilenceLimits } from '../../platform/models/watchdog.ts';
import { type Person, requireWriter } from '../access/person.ts';
import type { ServiceDeps } from '../deps.ts';
import { requireMemory } from '../memory/memory-access.ts';
import { SILENCE } from '../turns/running-turn.ts';
import { imagesOf } from '../turns/turn-images.ts';
import { requireOwnClient, requireSpeaker } from '../turns/turn-target.ts';
import { DescriptionWork } from './description-work.ts';
import { decideVision, isOpen, MAX_OPEN, statusAt } from './rules/vision-machine.ts';
import { captureNotFound, modelUnavailable } from './vision-errors.ts';
import {
  countOpen,
  declineVision,
  findVisionRequest,
  findVisionRequests,
  insertVisionRequest,
  lockAsked,
  lockVisionRequest,
  openVisionRequests,
  type VisionRow,
} from './vision-queries.ts';

const REFUSAL = 'Too many images at once. Wait until the others are described.';
/** Up to 25 MiB each, in memory until the model has answered. */
const DESCRIBED_AT_ONCE = { perCaller: 2, total: 8, waiting: 0, refusal: REFUSAL };

export interface VisionServiceDeps extends ServiceDeps {
  /** Undefined: none is configured. */
  readonly model: LanguageModel | undefined;
  /** Tests set less. */
  readonly silence?: SilenceLimits;
}

/** How people are asked for images, and what becomes of their answers. */
export class VisionService {
  readonly #deps: VisionServiceDeps;
  readonly #work: DescriptionWork;
  readonly #places = new Turnstile(DESCRIBED_AT_ONCE);

  constructor(deps: VisionServiceDeps) {
    this.#deps = deps;
    this.#work = new DescriptionWork({ ...deps, silence: deps.silence ?? SILENCE });
  }

  /** @throws AppError llm_unavailable, rate_limited, and what requireSpeaker and requireOwnClient throw */
  async request(person: Person, body: CaptureRequestBody): Promise<{ request_id: string }> {
    const { database, model, config } = this.#deps;
    const { agentId, projectId, clientId, source } = body;
    await requireSpeaker(database.db, person, body);
    await requireOwnClient(database.db, person, clientId);
    if (!model) throw modelUnavailable(config.locale, 'missing');
    const id = newId('vis');
    await database.transaction(async (tx) => {
      await lockAsked(tx.db, agentId);
      const now = await tx.now();
      if ((await countOpen(tx.db, agentId, now)) >= MAX_OPEN)
        throw new AppError('rate_limited', 'Too many requests of this agent are open.', {
          retryAfterSeconds: 10,
        });
      const asked = { askedBy: person.id, sessionId: null, timeoutMs: VISION_TIMEOUT_MS.default };
      const request = { id, agentId, projectId: projectId ?? null, clientId, source, createdAt: now };
      await insertVisionRequest(tx.db, { ...request, ...asked });
      tx.dirty(keys.vision(agentId));
    });
    return { request_id: id };
  }

  /** What a person is asked now, by the rights of `person`. @throws AppError as requireMemory */
  async open(person: Person, query: EventStreamQuery): Promise<readonly VisionRow[]> {
    const { database } = this.#deps;
    const { agentId, projectId, clientId } = query;
    await requireMemory(database.db, person, { agentId, projectId }, 'reads');
    const reader = { agentId, projectId, clientId, personId: person.id };
    return openVisionRequests(database.db, reader, await database.now(), MAX_OPEN);
  }

  /** What became of those among these that are not open any more. */
  async ended(ids: readonly string[]): Promise<AgentEvent[]> {
    if (ids.length === 0) return [];
    const { database } = this.#deps;
    const rows = await findVisionRequests(database.db, ids);
    const now = await database.now();
    const known = new Map(rows.map((row) => [row.id, statusAt(row, now)]));
    return ids.flatMap((id) => {
      const status = known.get(id) ?? 'cancelled';
      return status === 'pending' || status === 'describing' ? [] : [resolved(id, status)];
    });
  }

  /** Returns when the answer is stored. @throws AppError capture_request_not_found and what routes/vision.ts names */
  async respond(person: Person, body: CaptureResponseBody): Promise<undefined> {
    const request = await this.#own(person, body);
    requireWriter(person);
    const { images: uris, error } = body;
    if (error != null) {
      if (uris.length > 0) throw invalid('images', 'must be empty with an error');
      await this.#decline(request, error);
      return undefined;
    }
    if (uris.length === 0) throw invalid('images', 'must hold an image, unless there is an error');
    const { model, config } = this.#deps;
    if (!model) throw modelUnavailable(config.locale, 'missing');
    const leaves: (() => void)[] = [];
    await this.#places.enter(person.id, (leave) => leaves.push(leave));
    try {
      const images = imagesOf(uris);
      if (images === null)
        throw new AppError('image_too_large', 'An image may have at most 5 MB. Make it smaller.');
      await this.#work.run(person, request, { model, images });
    } finally {
      for (const leave of leaves) leave();
    }
    return undefined;
  }

  /** Ends what is being described; those requests are open again. */
  close(): Promise<void> {
    return this.#work.close();
  }

  /** A request to this person, still to be seen by it: nobody else learns that it exists. */
  async #own(
    person: Person,
    { request_id: id, client_id: clientId }: CaptureResponseBody,
  ): Promise<VisionRow> {
    const { database } = this.#deps;
    const request = await findVisionRequest(database.db, id);
    const isOwn = request && (request.clientId === person.id || request.askedBy === person.id);
    if (!isOwn || request.clientId !== clientId) throw captureNotFound();
    const { agentId, projectId } = request;
    await requireMemory(database.db, person, { agentId, projectId: projectId ?? undefined }, 'reads').catch(
      (error: unknown) => {
        throw error instanceof AppError ? captureNotFound() : error;
      },
    );
    const now = await database.now();
    if (!isOpen(statusAt(request, now))) throw captureNotFound(request, now);
    return request;
  }

  #decline({ id, agentId }: VisionRow, reason: string): Promise<void> {
    return this.#deps.database.transaction(async (tx) => {
      const request = await lockVisionRequest(tx.db, id);
      const now = await tx.now();
      if (!request || decideVision(request, 'decline', now) === undefined)
        throw captureNotFound(request, now);
      await declineVision(tx.db, id, reason, now);
      tx.dirty(keys.vision(agentId));
    });
  }
}

function resolved(id: string, status: VisionEnd): AgentEvent {
  return { event_id: 0, type: 'vision.capture_resolved', data: { request_id: id, status } };
}

function invalid(path: string, message: string): AppError {
  return new AppError('invalid_input', `Not valid: ${path}: ${message}.`, {
    details: { issues: [{ path, message }] },
  });
}
