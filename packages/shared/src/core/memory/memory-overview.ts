import type { MemoryMood, MemoryQuery, MemoryThreads, ThreadsQuery } from '../../contract/memory.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Person } from '../access/person.ts';
import { listMoments } from './growth/mood-queries.ts';
import { moodId } from './growth/mood-state.ts';
import { linksAmong, threadedEvents } from './growth/thread-queries.ts';
import { requireMemory } from './memory-access.ts';
import { moodAt, moodOf, moodsAfter } from './rules/growth/mood.ts';
import { findState } from './state-list-queries.ts';

export interface MemoryOverviewDeps {
  readonly database: Database;
}

/** A memory seen from afar: how its agent has felt, and what its threads are. */
export class MemoryOverview {
  readonly #database: Database;

  constructor(deps: MemoryOverviewDeps) {
    this.#database = deps.database;
  }

  async mood(person: Person, agentId: string, { projectId }: MemoryQuery): Promise<MemoryMood> {
    const { db } = this.#database;
    const scope = await requireMemory(db, person, { agentId, projectId }, 'reads');
    const [felt, worded, now] = await Promise.all([
      listMoments(db, scope),
      findState(db, scope, moodId(agentId, projectId ?? null)),
      this.#database.now(),
    ]);
    const moments = felt.map(({ v, a, d, ...one }) => ({ ...one, vad: { v, a, d } }));
    const moods = moodsAfter(moments);
    const mood = moodOf(moments);
    return {
      words: worded?.bodyText ?? null,
      now: mood && moodAt(mood, now),
      moments: moments.map(({ eventId, at, bodyText, vad }, index) => ({
        eventId,
        at: at.toISOString(),
        bodyText,
        felt: vad,
        mood: moods[index] ?? vad,
      })),
    };
  }

  async threads(person: Person, agentId: string, { projectId, limit }: ThreadsQuery): Promise<MemoryThreads> {
    const { db } = this.#database;
    const scope = await requireMemory(db, person, { agentId, projectId }, 'reads');
    const events = await threadedEvents(db, scope, limit);
    const links =
      events.length === 0
        ? []
        : await linksAmong(
            db,
            events.map(({ id }) => id),
          );
    return {
      events: events.map(({ createdAt, ...event }) => ({ ...event, at: createdAt.toISOString() })),
      links,
    };
  }
}
