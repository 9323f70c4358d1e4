import type {
  ProjectSearch,
  SEARCH_KINDS,
  SearchItem,
  SearchKind,
  SearchProjectBody,
} from '../../contract/search.ts';
import { type Person, requireMember } from '../access/person.ts';
import type { ServiceDeps } from '../deps.ts';
import type { Memory } from '../memory/recall.ts';
import { MAX_READ_LENGTH, MAX_SHOWN_LENGTH, type ShownHit, shownMemories } from './found-memories.ts';
import { coverage, markedPart, marksIn, type SearchedTerms, searchedTerms } from './rules/marks.ts';
import { mergeHits } from './rules/merge-hits.ts';
import { searchMemories } from './search-memories.ts';
import { aiMembers, taskTexts } from './search-queries.ts';
import { TaskIndex } from './task-index.ts';

export interface SearchDeps extends Pick<ServiceDeps, 'database' | 'logger'> {
  readonly memory: Memory;
  /** For tests: how long the memories of all agents may take. */
  readonly deadlineMs?: number;
}

const MAX_TASKS = 100;

type Memories = Pick<ProjectSearch, 'degraded'> & { readonly lists: readonly (readonly ShownHit[])[] };

/** The search of people over a project: its tasks, and what its agents remember. */
export class SearchService {
  readonly #deps: SearchDeps;
  readonly #tasks: TaskIndex;

  constructor(deps: SearchDeps) {
    this.#deps = deps;
    this.#tasks = new TaskIndex(deps.database.db);
  }

  /** Members of the project may search it. Without the memory service tasks alone are found. */
  async ofProject(person: Person, projectId: string, body: SearchProjectBody): Promise<ProjectSearch> {
    await requireMember(this.#deps.database.db, person, projectId);
    const kinds = new Set<SearchKind>(body.kinds ?? ['memory', 'task', 'chat', 'conversation']);
    const terms = searchedTerms(body.query);
    const isOfMemory = [...kinds].some((kind) => kind !== 'task');
    const startedAt = performance.now();
    const timings: Record<string, number> = {};
    const timed = async <T>(name: string, work: Promise<T>) => {
      const done = await work;
      timings[name] = Math.round((performance.now() - startedAt) * 10) / 10;
      return done;
    };
    const [memories, tasks] = await Promise.all([
      isOfMemory
        ? timed('memory', this.#memories(projectId, body.query, terms))
        : { lists: [], degraded: [] },
      kinds.has('task') ? timed('tasks', this.#foundTasks(projectId, body.query, terms)) : [],
    ]);
    const merged = mergeHits([...memories.lists, tasks]);
    const found = merged.filter(({ item }) => kinds.has(item.kind));
    return {
      degraded: memories.degraded,
      timings,
      total: found.length,
      counts: countsOf(merged),
      items: found.slice(0, body.limit).map(
        ({ item, score, hitSources, createdAt }): SearchItem => ({
          ...item,
          score,
          hitSources: [...hitSources],
          createdAt: createdAt.toISOString(),
        }),
      ),
    };
  }

  async #memories(projectId: string, query: string, terms: SearchedTerms): Promise<Memories> {
    const { db } = this.#deps.database;
    const agentIds = await aiMembers(db, projectId);
    const { hits, degraded } = await searchMemories(this.#deps, { projectId, agentIds, query });
    return { lists: await shownMemories(db, { projectId, terms }, hits), degraded: [...degraded] };
  }

  async #foundTasks(projectId: string, query: string, terms: SearchedTerms): Promise<ShownHit[]> {
    const { db } = this.#deps.database;
    const found = await this.#tasks.search(projectId, query, MAX_TASKS);
    const rows = await taskTexts(
      db,
      projectId,
      found.map(({ id }) => id),
      MAX_READ_LENGTH,
    );
    const byId = new Map(rows.map((row) => [row.id, row]));
    return found.flatMap(({ id, legs }) => {
      const task = byId.get(id);
      if (task === undefined) return [];
      const { title, description, status } = task;
      const { text, marks } = markedPart(terms, description, MAX_SHOWN_LENGTH);
      return {
        key: id,
        coverage: coverage(terms, `${title}\n${description}`),
        createdAt: task.updatedAt,
        hitSources: legs,
        item: {
          kind: 'task' as const,
          id,
          title,
          titleMarks: marksIn(terms, title),
          text,
          marks: [...marks],
          status,
        },
      };
    });
  }
}

function countsOf(hits: readonly ShownHit[]): Record<(typeof SEARCH_KINDS)[number], number> {
  const counts = { memory: 0, task: 0, chat: 0, conversation: 0 };
  for (const { item } of hits) counts[item.kind] += 1;
  return counts;
}
