import type {
  EventListQuery,
  GrowthJob,
  Indexing,
  MemoryEventDetail,
  MemoryEventPage,
  MemoryQuery,
  MemoryState,
  MemoryStatePage,
  RevisionListQuery,
  RevisionPage,
  StateListQuery,
  UpdateStateBody,
} from '../../contract/memory.ts';
import { keys } from '../../platform/change-log/keys.ts';
import type { Database, Queryable } from '../../platform/db/database.ts';
import { AppError } from '../../platform/errors.ts';
import { appendAudit } from '../access/audit-queries.ts';
import type { Person } from '../access/person.ts';
import { eraseMemory } from './erase-memory.ts';
import { findEvent, linksOf, listEvents } from './event-list-queries.ts';
import { messagesOfEvent } from './event-messages.ts';
import type { EventRow } from './event-queries.ts';
import { forgetEvents, forgetInPastRuns, forgetStates } from './forget.ts';
import { statesOfAlone } from './forget-queries.ts';
import { countGrowth, findJob, grownOf, listJobs, stepsOf } from './growth/growth-list-queries.ts';
import { retryParked } from './growth/growth-queries.ts';
import { requireChangeable, requireMemory, requireMemoryNow } from './memory-access.ts';
import { indexState } from './memory-store.ts';
import { eventView, revisionView, stateView } from './memory-view.ts';
import { correctedPayload } from './rules/growth/corrected.ts';
import { findState, listRevisions, listStates, lockState } from './state-list-queries.ts';
import { insertRevision, type StateRow, snapshotOf, updateState } from './state-queries.ts';
import { countPending } from './vectors/embedding-queries.ts';

export interface MemoryServiceDeps {
  readonly database: Database;
}

/** A memory as people see, correct and delete it. Members see their projects and what is general, owners everything. */
export class MemoryService {
  readonly #database: Database;

  constructor(deps: MemoryServiceDeps) {
    this.#database = deps.database;
  }

  async listEvents(person: Person, agentId: string, query: EventListQuery): Promise<MemoryEventPage> {
    const { db } = this.#database;
    const scope = await requireMemory(db, person, { agentId, projectId: query.projectId }, 'reads');
    const { rows, nextCursor } = await listEvents(db, scope, query);
    return { events: rows.map(eventView), nextCursor };
  }

  async getEvent(person: Person, item: MemoryItem): Promise<MemoryEventDetail> {
    const { db } = this.#database;
    const scope = await requireMemory(db, person, item, 'reads');
    const event = await findEvent(db, scope, item.id);
    if (!event) throw eventNotFound();
    const [links, grown] = await Promise.all([linksOf(db, scope, item.id), grownOf(db, item.id)]);
    return { event: eventView(event), links, ...grown };
  }

  /** With everything that was made from it alone. */
  async deleteEvent(person: Person, item: MemoryItem): Promise<void> {
    const { agentId, id } = item;
    const { db } = this.#database;
    const spoken = await messagesOfEvent(db, await requireChangeableEvent(db, person, item));
    await forgetInPastRuns(this.#database, agentId, [
      id,
      ...spoken,
      ...(await statesOfAlone(db, agentId, id)),
    ]);
    await this.#database.transaction(async (tx) => {
      await requireChangeableEvent(tx.db, person, item);
      await forgetEvents(tx, agentId, [id], spoken);
      await appendAudit(tx.db, { actorId: person.id, action: 'memory.event_deleted', targetId: id });
    });
  }

  async listStates(person: Person, agentId: string, query: StateListQuery): Promise<MemoryStatePage> {
    const { db } = this.#database;
    const scope = await requireMemory(db, person, { agentId, projectId: query.projectId }, 'reads');
    const { rows, nextCursor } = await listStates(db, scope, query);
    return { states: rows.map(stateView), nextCursor };
  }

  async listRevisions(
    person: Person,
    { agentId, id }: Omit<MemoryItem, 'projectId'>,
    query: RevisionListQuery,
  ): Promise<RevisionPage> {
    const { db } = this.#database;
    const scope = await requireMemory(db, person, { agentId, projectId: query.projectId }, 'reads');
    if (!(await findState(db, scope, id))) throw stateNotFound();
    const { rows, nextCursor } = await listRevisions(db, id, query);
    return { revisions: rows.map(revisionView), nextCursor };
  }

  /** A person's word: confirmed now. The revision keeps what it said before. */
  async updateState(person: Person, item: MemoryItem, body: UpdateStateBody): Promise<MemoryState> {
    const state = await this.#database.transaction(async (tx) => {
      const scope = await requireMemory(tx.db, person, item, 'writes');
      const before = await lockState(tx.db, scope, item.id);
      if (!before) throw stateNotFound();
      requireChangeable(person, before);
      const now = await tx.now();
      const after = edited(before, body, now);
      requireSmallPayload(after);
      await updateState(tx.db, after);
      await insertRevision(tx.db, {
        stateId: before.id,
        at: now,
        op: 'edit',
        before: snapshotOf(before),
        after: snapshotOf(after),
        // Who it was; that it was a person says made_by.
        reason: person.id,
        evidence: [],
        madeBy: 'person',
      });
      await indexState(tx, after);
      return after;
    });
    return stateView(state);
  }

  async deleteState(person: Person, item: MemoryItem): Promise<void> {
    const { db } = this.#database;
    await requireChangeableState(db, person, item, findState);
    await forgetInPastRuns(this.#database, item.agentId, [item.id]);
    await this.#database.transaction(async (tx) => {
      await requireChangeableState(tx.db, person, item, lockState);
      await forgetStates(tx, item.agentId, [item.id]);
      await appendAudit(tx.db, { actorId: person.id, action: 'memory.state_deleted', targetId: item.id });
    });
  }

  /** Everything, for owners; with a project, what belongs to it. Owners also of an agent that was removed or deleted. */
  async erase(person: Person, agentId: string, { projectId }: MemoryQuery): Promise<void> {
    const target = { agentId, projectId };
    await this.#database.transaction(async (tx) => {
      await requireMemory(tx.db, person, target, 'erases');
      await appendAudit(tx.db, {
        actorId: person.id,
        action: 'memory.erased',
        targetId: agentId,
        ...(projectId !== undefined && { projectId }),
      });
    });
    await eraseMemory(this.#database, target, async (tx) => {
      await requireMemoryNow(tx.db, person, target, 'erases');
    });
  }

  /** What is stored is found by its words when its transaction has ended; what grows and vectors are made later. */
  async indexing(person: Person, agentId: string, { projectId }: MemoryQuery): Promise<Indexing> {
    const { db } = this.#database;
    const scope = await requireMemory(db, person, { agentId, projectId }, 'reads');
    const [embeddings, growth, steps, jobs] = await Promise.all([
      countPending(db, scope),
      countGrowth(db, scope),
      stepsOf(db, agentId),
      listJobs(db, scope),
    ]);
    return {
      pendingJobs: embeddings.pending + growth.pending,
      failedJobs: embeddings.failed + growth.parked,
      embeddings: { pending: embeddings.pending, failed: embeddings.failed },
      growth: { pending: growth.pending, parked: growth.parked },
      steps,
      jobs,
    };
  }

  /** Lets a parked event grow again, at once. One that is not parked stays as it is. */
  async retryGrowth(person: Person, item: MemoryItem): Promise<GrowthJob> {
    const { agentId, id } = item;
    return this.#database.transaction(async (tx) => {
      const scope = await requireMemory(tx.db, person, item, 'writes');
      const event = await findEvent(tx.db, scope, id);
      if (!event) throw eventNotFound();
      requireChangeable(person, event);
      await retryParked(tx.db, agentId, { eventId: id });
      tx.dirty(keys.memory(agentId));
      const job = await findJob(tx.db, scope, id);
      if (!job) throw eventNotFound();
      return job;
    });
  }
}

/** Of a state. */
const MAX_PAYLOAD = 20_000;

interface MemoryItem {
  readonly agentId: string;
  readonly projectId?: string | undefined;
  /** Of an event or a state. */
  readonly id: string;
}

async function requireChangeableEvent(db: Queryable, person: Person, item: MemoryItem): Promise<EventRow> {
  const event = await findEvent(db, await requireMemory(db, person, item, 'writes'), item.id);
  if (!event) throw eventNotFound();
  requireChangeable(person, event);
  return event;
}

async function requireChangeableState(
  db: Queryable,
  person: Person,
  item: MemoryItem,
  find: typeof findState,
): Promise<void> {
  const state = await find(db, await requireMemory(db, person, item, 'writes'), item.id);
  if (!state) throw stateNotFound();
  requireChangeable(person, state);
}

function edited(state: StateRow, body: UpdateStateBody, now: Date): StateRow {
  const { bodyText = state.bodyText, confidence = state.confidence, validTo } = body;
  const known = bodyText === state.bodyText ? state.payload : correctedPayload(state.payload, bodyText);
  const payload = Object.fromEntries(
    Object.entries({ ...known, ...body.payload }).filter(([, value]) => value !== null),
  );
  return {
    ...state,
    bodyText,
    payload,
    confidence,
    ...(validTo !== undefined && { validTo: validTo === null ? null : new Date(validTo) }),
    lastConfirmedAt: now,
    updatedAt: now,
  };
}

/** Each change adds to it, and each revision keeps the whole of it twice. */
function requireSmallPayload({ payload }: StateRow): void {
  if (JSON.stringify(payload).length <= MAX_PAYLOAD) return;
  const message = `must have at most ${MAX_PAYLOAD} characters as JSON, with what the state has already`;
  throw new AppError('invalid_input', `Not valid: payload: ${message}.`, {
    details: { issues: [{ path: 'payload', message }] },
  });
}

function eventNotFound(): AppError {
  return new AppError('event_not_found', 'This memory has no such event, or you may not see it.');
}

function stateNotFound(): AppError {
  return new AppError('state_not_found', 'This memory has no such state, or you may not see it.');
}
