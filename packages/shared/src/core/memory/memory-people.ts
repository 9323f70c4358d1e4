import { keys } from '../../platform/change-log/keys.ts';
import type { Database, Tx } from '../../platform/db/database.ts';
import { AppError } from '../../platform/errors.ts';
import { appendAudit } from '../access/audit-queries.ts';
import { type Person, requireOwner } from '../access/person.ts';
import { type EventPlace, eraseRequestsTo, lastEventSeq } from './erase-queries.ts';
import { findEventsById } from './event-list-queries.ts';
import { messagesOfEvent } from './event-messages.ts';
import { forgetEvents, forgetInPastRuns } from './forget.ts';
import { statesOfAlone } from './forget-queries.ts';
import { requireMemory, requireMemoryNow } from './memory-access.ts';
import { eventView, type Revision, revisionView, stateView } from './memory-view.ts';
import {
  eventsOfPerson,
  findRemembered,
  type Remembered,
  type StatePlace,
  statesOfPerson,
} from './person-queries.ts';
import { findStatesById, listRevisions } from './state-list-queries.ts';

export interface MemoryPeopleDeps {
  readonly database: Database;
}

/** Of one read of whole texts, and of one transaction that forgets. */
const BATCH = 20;

/** What a memory holds of one person: owners give it out, and erase it. */
export class MemoryPeople {
  readonly #database: Database;

  constructor(deps: MemoryPeopleDeps) {
    this.#database = deps.database;
  }

  /**
   * The lines of the export. The refusals come before the first line; the rights are looked at again before each part,
   * because a reader may take long.
   */
  async export(person: Person, ids: { agentId: string; personId: string }): Promise<AsyncIterable<string>> {
    const of = await this.#remembered(person, ids, 'reads');
    await this.#database.transaction((tx) =>
      appendAudit(tx.db, {
        actorId: person.id,
        action: 'memory.person_exported',
        targetId: of.agentId,
        details: { personId: of.personId },
      }),
    );
    return this.#lines(person, of);
  }

  /** With everything that was made from these events alone. */
  async erase(person: Person, ids: { agentId: string; personId: string }): Promise<void> {
    const of = await this.#remembered(person, ids, 'erases');
    await this.#database.transaction(async (tx) => {
      await appendAudit(tx.db, {
        actorId: person.id,
        action: 'memory.person_erased',
        targetId: of.agentId,
        details: { personId: of.personId },
      });
      await eraseRequestsTo(tx.db, of);
      tx.dirty(keys.vision(of.agentId));
    });
    for await (const part of this.#eventParts(of)) {
      await forgetInPastRuns(this.#database, of.agentId, await this.#quoted(of.agentId, part));
      await this.#database.transaction((tx) => this.#forget(tx, person, of.agentId, part));
    }
  }

  async #forget(tx: Tx, person: Person, agentId: string, ids: readonly string[]): Promise<void> {
    await requireMemoryNow(tx.db, person, { agentId }, 'erases');
    const events = await findEventsById(tx.db, agentId, ids);
    const said: string[] = [];
    for (const event of events) said.push(...(await messagesOfEvent(tx.db, event)));
    await forgetEvents(tx, agentId, ids, said);
  }

  /** What past runs may quote of these events. */
  async #quoted(agentId: string, ids: readonly string[]): Promise<string[]> {
    const { db } = this.#database;
    const states = await Promise.all(ids.map((id) => statesOfAlone(db, agentId, id)));
    return [...ids, ...states.flat()];
  }

  async *#lines(person: Person, of: Remembered): AsyncGenerator<string> {
    const { db } = this.#database;
    const { agentId } = of;
    const count = { events: 0, states: 0, revisions: 0 };
    for await (const part of this.#eventParts(of)) {
      await requireMemoryNow(db, person, { agentId }, 'reads');
      for (const event of await findEventsById(db, agentId, part)) {
        count.events += 1;
        yield line({ type: 'event', ...eventView(event) });
      }
    }
    for await (const part of this.#stateParts(of)) {
      await requireMemoryNow(db, person, { agentId }, 'reads');
      for (const state of await findStatesById(db, agentId, part)) {
        count.states += 1;
        yield line({ type: 'state', ...stateView(state) });
        for await (const revision of this.#revisions(state.id)) {
          count.revisions += 1;
          yield line({ type: 'revision', stateId: state.id, ...revision });
        }
      }
    }
    yield line({ type: 'end', ...count });
  }

  /** The newest first. */
  async *#revisions(stateId: string): AsyncGenerator<Revision> {
    let cursor: string | null | undefined;
    while (cursor !== null) {
      const page = await listRevisions(this.#database.db, stateId, { limit: BATCH, cursor });
      yield* page.rows.map(revisionView);
      cursor = page.nextCursor;
    }
  }

  /** The ids of the events that are stored now, in parts, the newest first. */
  async *#eventParts(of: Remembered): AsyncGenerator<readonly string[]> {
    const { db } = this.#database;
    const lastSeq = await lastEventSeq(db);
    let after: EventPlace | null | undefined;
    while (after !== null) {
      const { ids, next } = await eventsOfPerson(db, of, { after, lastSeq });
      yield* parts(ids);
      after = next;
    }
  }

  async *#stateParts(of: Remembered): AsyncGenerator<readonly string[]> {
    let after: StatePlace | null | undefined;
    while (after !== null) {
      const { ids, next } = await statesOfPerson(this.#database.db, of, after);
      yield* parts(ids);
      after = next;
    }
  }

  async #remembered(
    person: Person,
    { agentId, personId }: { agentId: string; personId: string },
    call: 'reads' | 'erases',
  ): Promise<Remembered> {
    requireOwner(person);
    const { db } = this.#database;
    await requireMemory(db, person, { agentId }, call);
    const found = await findRemembered(db, personId);
    if (!found) throw new AppError('agent_not_found', 'There is no such person.');
    return { agentId, personId, name: found.name };
  }
}

function* parts(ids: readonly string[]): Generator<readonly string[]> {
  for (let start = 0; start < ids.length; start += BATCH) yield ids.slice(start, start + BATCH);
}

function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}
