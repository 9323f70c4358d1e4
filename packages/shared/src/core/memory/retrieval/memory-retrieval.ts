import {
  type Degradation,
  type MemorySearch,
  type RetrievalRun,
  retrievalRunSchema,
  type SearchMemoryBody,
  type SearchPlan,
} from '../../../contract/memory.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/database.ts';
import { newId } from '../../../platform/ids.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { MemoryScope } from '../memory-scope.ts';
import type { Memory, RecallInput, RecallOptions, Recollection } from '../recall.ts';
import type { FusedHit } from '../rules/fuse.ts';
import { queryTerms } from '../rules/index-terms.ts';
import { rankDocuments } from '../rules/rank-documents.ts';
import { MAX_SELECTED, rulePlan } from '../rules/rule-plan.ts';
import { mergedSpans, spansOfYears } from '../rules/time-hint.ts';
import { ReadingPlaces } from './bounded-queries.ts';
import { type Collected, collect } from './collect.ts';
import { Collection, type StepMs } from './collection.ts';
import type { Index } from './collectors.ts';
import { Corpora } from './corpora.ts';
import type { Sight } from './document-queries.ts';
import { instantOf } from './item-queries.ts';
import { type Item, itemsOf } from './items.ts';
import { cleanPlan, PLANNER_MS, type Planner } from './plan.ts';
import { findRun, insertRun, saveSelection } from './retrieval-run-queries.ts';
import {
  cleanSelection,
  SELECTOR_MS,
  type SelectableItem,
  type Selector,
  selectByRank,
} from './selection.ts';
import { QUICK_VECTOR_MS, VECTOR_MS, type VectorLeg } from './vector-leg.ts';

export interface MemoryRetrievalDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Without them the plan is made by rules, and the first of the ranking are selected. */
  readonly planner?: Planner;
  readonly selector?: Selector;
  /** Without it: `no_embedding`. */
  readonly vectors?: VectorLeg;
  /** For tests: in place of the times of the product. */
  readonly stepMs?: StepMs;
}

/** What a selector chooses from. */
const MAX_SELECTABLE = 60;

type Selected = NonNullable<RetrievalRun['selected']>;

interface Found {
  readonly id: string;
  readonly hits: readonly FusedHit[];
  readonly collected: Collected;
  readonly plan: SearchPlan;
  readonly collection: Collection;
  readonly sight: Sight;
  readonly now: Date;
  /** The first of the two steps that write the run. */
  readonly stored: Promise<void>;
}

/** Finds in one memory what belongs to a text. Every retrieval is kept with what it found, and by what. */
export class MemoryRetrieval implements Memory {
  readonly #deps: MemoryRetrievalDeps;
  readonly #index: Index;

  constructor(deps: MemoryRetrievalDeps) {
    this.#deps = deps;
    this.#index = {
      places: new ReadingPlaces(deps.database),
      corpora: new Corpora(),
      vectors: deps.vectors,
    };
  }

  async search(
    scope: MemoryScope,
    body: SearchMemoryBody,
    { byRules }: RecallOptions = {},
  ): Promise<MemorySearch> {
    const collection = new Collection(this.#deps.logger, undefined, this.#deps.stepMs);
    const asOf = body.asOf === undefined ? null : new Date(body.asOf);
    const sight = { scope, asOf, exceptEventId: null };
    const found = await this.#find(collection, sight, {
      text: body.query,
      isRecall: false,
      eventId: null,
      byRules,
    });
    const items = await this.#itemsOf(
      body.expand ? found : { ...found, hits: found.hits.filter(isFoundByItself) },
      body.limit,
      body.expand,
    );
    await this.#keep(found, { selected: selectByRank(items, MAX_SELECTED), source: 'rank', items });
    const scores = new Map(found.hits.map(({ id, score }) => [itemIdOf(found, id), score]));
    return {
      runId: found.id,
      degraded: this.#degraded(collection),
      timings: collection.timings,
      items: items.map((item, index) => ({
        rank: index + 1,
        type: item.type,
        id: item.id,
        score: scores.get(item.id) ?? 0,
        hitSources: [...item.hitSources],
        text: item.text,
        createdAt: item.createdAt.toISOString(),
        sourceEvents: item.sourceEvents,
        sourceRefs: item.sourceRefs,
      })),
    };
  }

  async recall(scope: MemoryScope, input: RecallInput): Promise<Recollection> {
    const { database, logger } = this.#deps;
    const { byRules = false } = input;
    const selector = byRules ? undefined : this.#deps.selector;
    try {
      const collection = new Collection(logger, input.budgetMs, this.#deps.stepMs);
      const eventId = input.eventId ?? null;
      const asOf = eventId === null ? null : await instantOf(database.db, scope.agentId, eventId);
      const sight = { scope, asOf, exceptEventId: eventId };
      const found = await this.#find(collection, sight, {
        text: input.text,
        isRecall: true,
        eventId,
        byRules,
        messageIds: input.messageIds,
      });
      const most = Math.min(input.limit ?? found.plan.limits.max_selected, 100);
      const candidates = await this.#itemsOf(found, selector ? MAX_SELECTABLE : most, false);
      const chosen =
        selector && (await this.#chosen(selector, found, { text: input.text, candidates, most }));
      const best = chosen ?? selectByRank(candidates, most);
      const source = chosen ? 'model' : 'rank';
      const selected = await this.#keep(found, { selected: best, source, items: candidates });
      return { runId: found.id, degraded: this.#degraded(collection), pack: { selected } };
    } catch (error) {
      logger.warn({ err: error, agentId: scope.agentId }, 'nothing was recalled');
      return { runId: null, degraded: ['memory_unavailable'], pack: { selected: [] } };
    }
  }

  /** What the selector chose. Null: nothing that can be used; the run says why. */
  async #chosen(
    selector: Selector,
    { collection, plan }: Found,
    input: { text: string; candidates: readonly SelectableItem[]; most: number },
  ): Promise<RetrievalRun['selected']> {
    const { text, candidates, most } = input;
    if (candidates.length === 0) return null;
    const chosen = await collection.step('selection', SELECTOR_MS, () =>
      selector({ text, plan, candidates }),
    );
    if (chosen === null) return null;
    const cleaned = cleanSelection(chosen, candidates, most);
    if (cleaned === null) collection.errors.selection = 'invalid';
    else if (cleaned.dropped > 0) collection.errors.selection = 'unknown_ids';
    const isUnusable = cleaned === null || (cleaned.dropped > 0 && cleaned.selected.length === 0);
    return isUnusable ? null : cleaned.selected;
  }

  /** Null: the memory that this scope sees has none of this id. */
  async getRun(scope: MemoryScope, runId: string): Promise<RetrievalRun | null> {
    const run = await findRun(this.#deps.database.db, scope, runId);
    return run === null ? null : retrievalRunSchema.parse(run);
  }

  async #find(
    collection: Collection,
    sight: Sight,
    {
      byRules = false,
      messageIds = [],
      ...input
    }: Pick<RecallInput, 'text' | 'byRules' | 'messageIds'> & { isRecall: boolean; eventId: string | null },
  ): Promise<Found> {
    const { clock, database, vectors } = this.#deps;
    // Beside the plan, which may take most of the time of this leg.
    vectors?.prepare?.(input.text);
    const planner = byRules ? undefined : this.#deps.planner;
    const now = sight.asOf ?? clock.now();
    const { plan: rules, time } = rulePlan(input.text, now);
    const answer =
      planner && (await collection.step('plan', PLANNER_MS, () => planner({ text: input.text, now })));
    const byModel = answer === undefined || answer === null ? null : cleanPlan(answer, rules);
    if (answer && byModel === null) collection.errors.plan = 'invalid';
    const plan = byModel ?? rules;
    const terms = queryTerms(sight.scope.agentId, [...rules.queries, ...plan.queries]);
    const { about_year_start: start, about_year_end: end } = plan.time_hint;
    const spans = byModel === null ? time.spans : mergedSpans([...time.spans, ...spansOfYears(start, end)]);
    const collected = await collect(this.#index, collection, {
      sight,
      now,
      terms,
      spans,
      about: { yearStart: start, yearEnd: end, lifeStage: plan.time_hint.life_stage_hint },
      vectorMs: byRules ? QUICK_VECTOR_MS : VECTOR_MS,
      ...input,
    });
    const hits = rankDocuments(collected.rank).slice(0, plan.limits.max_candidates);
    const id = newId('ret');
    const stored = insertRun(database.db, {
      id,
      scope: sight.scope,
      eventId: input.eventId,
      messageIds,
      query: input.text,
      plan,
      planSource: byModel === null ? 'rules' : 'model',
      candidates: collected.counts,
      timings: { ...collection.timings },
      errors: { ...collection.errors },
    });
    // It is awaited where the selection is kept; a failure before that is reported there.
    stored.catch(() => undefined);
    return { id, hits, collected, plan, collection, sight, now, stored };
  }

  async #itemsOf(found: Found, most: number, expand: boolean): Promise<SelectableItem[]> {
    const { rows } = found.collected;
    const hits = found.hits.slice(0, most);
    const documents = hits.flatMap(({ id }) => rows.get(id) ?? []);
    const items = await itemsOf(this.#deps.database.db, found, documents, expand);
    const legs = new Map(hits.map((hit) => [itemIdOf(found, hit.id), hit.legs]));
    return items.map((item: Item) => ({ ...item, hitSources: legs.get(item.id) ?? [] }));
  }

  /** Returns what of it is still there. */
  async #keep(
    found: Found,
    { selected, source, items }: { selected: Selected; source: 'model' | 'rank'; items: readonly Item[] },
  ): Promise<Selected> {
    await found.stored;
    const { timings, errors } = found.collection;
    const named = new Set(selected.map((part) => part.event_id ?? part.state_id));
    const quoted = source === 'model' ? items : items.filter(({ id }) => named.has(id));
    return this.#deps.database.transaction((tx) =>
      saveSelection(tx, found.id, { selected, quoted, selectedSource: source, timings, errors }),
    );
  }

  #degraded(collection: Collection): Degradation[] {
    if (this.#deps.vectors === undefined) return ['no_embedding', ...collection.degraded];
    return collection.errors.vector === 'failed'
      ? ['embedding_failed', ...collection.degraded]
      : collection.degraded;
  }
}

/** Not only because it stands beside what was found. */
function isFoundByItself({ legs }: FusedHit): boolean {
  return legs.some((leg) => leg !== 'neighbour');
}

function itemIdOf({ collected }: Found, documentId: number): string {
  const row = collected.rows.get(documentId);
  return row?.eventId ?? row?.stateId ?? '';
}
