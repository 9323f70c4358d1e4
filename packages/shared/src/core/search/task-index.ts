import type { Queryable } from '../../platform/db/database.ts';
import { bm25, type Corpus } from '../memory/rules/bm25.ts';
import { type IndexedDocument, indexDocument, queryTerms } from '../memory/rules/index-terms.ts';
import { taskTexts, taskVersions } from './search-queries.ts';

export interface FoundTask {
  readonly id: string;
  readonly legs: readonly string[];
}

/** The tasks of a project that are searched: those that changed last. */
const MAX_TASKS = 2_000;
/** A long description is found by its beginning. */
const MAX_DESCRIPTION_LENGTH = 2_000;
const MAX_KEPT = 4_000;
/** So many texts are read before other work of the process goes on. */
const TEXTS_AT_ONCE = 100;

interface KeptDocument {
  readonly terms: Int32Array;
  readonly length: number;
}

/** Ranks tasks by BM25 over title and description. Keeps the terms of tasks in memory, by task and version. */
export class TaskIndex {
  readonly #db: Queryable;
  /** The one used longest ago first. */
  readonly #kept = new Map<string, KeptDocument>();

  constructor(db: Queryable) {
    this.#db = db;
  }

  /** The best first. */
  async search(projectId: string, query: string, most: number): Promise<FoundTask[]> {
    const terms = queryTerms(projectId, [query]);
    if (terms.length === 0) return [];
    const documents = await this.#documents(projectId);
    const asked = new Map(terms.map((term) => [term.hash, { ...term, documents: 0 }]));
    const candidates = [...documents].flatMap(([id, { terms: held, length }]) => {
      const counts = new Map<number, number>();
      for (const hash of held) if (asked.has(hash)) counts.set(hash, (counts.get(hash) ?? 0) + 1);
      for (const hash of counts.keys()) {
        const term = asked.get(hash);
        if (term) term.documents += 1;
      }
      return counts.size === 0 ? [] : [{ id, length, counts }];
    });
    const corpus = corpusOf([...documents.values()]);
    const weighted = [...asked.values()].map((term) => ({ ...term, weight: weightOf(term) }));
    return candidates
      .map((one) => ({ ...one, score: bm25(corpus, weighted, one) }))
      .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
      .slice(0, most)
      .map(({ id, counts }) => ({ id, legs: legsOf([...counts.keys()].flatMap((h) => asked.get(h) ?? [])) }));
  }

  async #documents(projectId: string): Promise<Map<string, KeptDocument>> {
    const versions = await taskVersions(this.#db, projectId, MAX_TASKS);
    const missing = versions.filter((task) => !this.#kept.has(keyOf(task))).map(({ id }) => id);
    for (let from = 0; from < missing.length; from += TEXTS_AT_ONCE) {
      const ids = missing.slice(from, from + TEXTS_AT_ONCE);
      for (const task of await taskTexts(this.#db, projectId, ids, MAX_DESCRIPTION_LENGTH)) {
        const { title, description, createdAt } = task;
        // A word of the title says more about a task than one of its description.
        const texts = [title, title, description];
        this.#keep(keyOf(task), indexDocument({ agentId: projectId, createdAt, texts }));
      }
    }
    const documents = new Map<string, KeptDocument>();
    for (const task of versions) {
      const key = keyOf(task);
      const document = this.#kept.get(key);
      if (document === undefined) continue;
      documents.set(task.id, document);
      this.#kept.delete(key);
      this.#kept.set(key, document);
    }
    return documents;
  }

  #keep(key: string, { terms, length }: IndexedDocument): void {
    this.#kept.set(key, { terms: Int32Array.from(terms), length });
    if (this.#kept.size <= MAX_KEPT) return;
    const oldest = this.#kept.keys().next();
    if (!oldest.done) this.#kept.delete(oldest.value);
  }
}

function corpusOf(documents: readonly KeptDocument[]): Corpus {
  const total = documents.reduce((sum, { length }) => sum + length, 0);
  return { documents: documents.length, meanLength: documents.length === 0 ? 0 : total / documents.length };
}

type Term = ReturnType<typeof queryTerms>[number];

/** A pair of characters says more than each of them. */
function weightOf({ kind, text }: Term): number {
  return kind === 'gram' && text.length === 1 ? 0.3 : 1;
}

/** By the names of the legs of memory. */
function legsOf(terms: readonly Term[]): string[] {
  const kinds = new Set(terms.map(({ kind }) => kind));
  return [...(kinds.has('word') ? ['words'] : []), ...(kinds.has('gram') ? ['ngram'] : [])];
}

function keyOf({ id, version }: { readonly id: string; readonly version: number }): string {
  return `${id}/${version}`;
}
