import { z } from 'zod';
import { idParamSchema, idSchema, instantSchema, textSchema } from './ids.ts';
import { nextCursorSchema, pageQuerySchema } from './page.ts';

/** What feeds a memory (memory.md, "What feeds it"). */
export const MEMORY_SOURCES = ['chat', 'agent_conversation', 'import', 'remember', 'vision_detail'] as const;
export type MemorySource = (typeof MEMORY_SOURCES)[number];

/** partial: a reply that was cut; failed: there was none. */
export const ASSISTANT_STATES = ['complete', 'partial', 'failed'] as const;

export const STATE_KINDS = ['fact', 'relation', 'task', 'summary', 'long_mood_state'] as const;
export type StateKind = (typeof STATE_KINDS)[number];

export const LINK_LABELS = ['reply_to', 'same_topic', 'caused_by', 'continuation'] as const;

/** What retrieval finds. */
export const MEMORY_ITEM_TYPES = ['event', 'state', 'affect'] as const;

/** What was missing for this answer: `memory_unavailable` only in answers that can do without. */
export const DEGRADATIONS = [
  'no_embedding',
  'embedding_failed',
  'collector_late',
  'memory_unavailable',
] as const;
export type Degradation = (typeof DEGRADATIONS)[number];

/** Of people, whose projects are named; an owner may leave it out and sees the whole memory. */
const projectQuery = { projectId: idParamSchema.optional() };
export const memoryQuerySchema = z.strictObject(projectQuery);
export type MemoryQuery = z.infer<typeof memoryQuerySchema>;

export const memoryEventSchema = z.object({
  id: z.string(),
  createdAt: instantSchema,
  clientId: z.string(),
  source: z.enum(MEMORY_SOURCES),
  sourceRef: z.string().optional(),
  actor: z.string().optional(),
  userText: z.string().optional(),
  assistantText: z.string().optional(),
  caption: z.string().optional(),
  assistantState: z.enum(ASSISTANT_STATES),
  projectId: z.string().optional(),
});
export type MemoryEvent = z.infer<typeof memoryEventSchema>;

export const eventListQuerySchema = pageQuerySchema.extend(projectQuery);
export type EventListQuery = z.infer<typeof eventListQuerySchema>;
export const memoryEventPageSchema = z.object({
  events: z.array(memoryEventSchema),
  nextCursor: nextCursorSchema,
});
export type MemoryEventPage = z.infer<typeof memoryEventPageSchema>;

export const eventLinkSchema = z.object({
  fromEventId: z.string(),
  toEventId: z.string(),
  label: z.enum(LINK_LABELS),
  confidence: z.number(),
});
export const vadSchema = z.object({ v: z.number(), a: z.number(), d: z.number() });
/** Unpleasant to pleasant, calm to aroused, passive to dominant; each from -1 to 1. */
export type Vad = z.infer<typeof vadSchema>;

/** By whom something grew out of an event. */
export const GROWN_BY = ['model', 'rules'] as const;
export type GrownBy = (typeof GROWN_BY)[number];

export const eventAffectSchema = z.object({
  id: z.string(),
  bodyText: z.string(),
  labels: z.array(z.string()),
  vad: vadSchema,
  confidence: z.number(),
  madeBy: z.enum(GROWN_BY),
});
export type EventAffect = z.infer<typeof eventAffectSchema>;

export const ENTITY_TYPES = ['person', 'org', 'place', 'project', 'tool', 'topic'] as const;
export type EntityType = (typeof ENTITY_TYPES)[number];

/** What an event is about, which may be another time than that of its telling. */
export const eventAnnotationSchema = z.object({
  aboutStart: instantSchema.nullable(),
  aboutEnd: instantSchema.nullable(),
  aboutYearStart: z.int().nullable(),
  aboutYearEnd: z.int().nullable(),
  lifeStage: z.string(),
  aboutTimeConfidence: z.number(),
  madeBy: z.enum(GROWN_BY),
});
export const eventEntitySchema = z.object({
  type: z.enum(ENTITY_TYPES),
  name: z.string(),
  confidence: z.number(),
  madeBy: z.enum(GROWN_BY),
});

/** All but the event and the links to earlier turns grows asynchronously: before that there is none. */
export const memoryEventDetailSchema = z.object({
  event: memoryEventSchema,
  links: z.array(eventLinkSchema),
  threads: z.array(z.object({ threadKey: z.string(), confidence: z.number() })),
  affect: eventAffectSchema.nullable(),
  annotation: eventAnnotationSchema.nullable(),
  entities: z.array(eventEntitySchema),
});
export type MemoryEventDetail = z.infer<typeof memoryEventDetailSchema>;

/** How an agent has felt lately, the oldest first; at most the last 200 times that it felt something. */
export const memoryMoodSchema = z.object({
  /** Of the mood as it is known last; null: nothing was felt. */
  words: z.string().nullable(),
  now: vadSchema.nullable(),
  moments: z.array(
    z.object({
      eventId: z.string(),
      at: instantSchema,
      /** What was felt at that moment, and the mood after it. */
      bodyText: z.string(),
      felt: vadSchema,
      mood: vadSchema,
    }),
  ),
});
export type MemoryMood = z.infer<typeof memoryMoodSchema>;

/** The threads of the newest events, and what connects these events. */
export const memoryThreadsSchema = z.object({
  /** The newest events that belong to a thread, the oldest first; each with the beginning of its text. */
  events: z.array(
    z.object({ id: z.string(), at: instantSchema, text: z.string(), threadKeys: z.array(z.string()) }),
  ),
  links: z.array(eventLinkSchema),
});
export type MemoryThreads = z.infer<typeof memoryThreadsSchema>;
export const threadsQuerySchema = z.strictObject({
  ...projectQuery,
  /** How many of the newest events are looked at. */
  limit: z.coerce.number().int().min(1).max(200).default(100),
});
export type ThreadsQuery = z.infer<typeof threadsQuerySchema>;

export const memoryStateSchema = z.object({
  id: z.string(),
  kind: z.enum(STATE_KINDS),
  bodyText: z.string(),
  payload: z.record(z.string(), z.unknown()),
  confidence: z.number(),
  validFrom: instantSchema.nullable(),
  validTo: instantSchema.nullable(),
  lastConfirmedAt: instantSchema,
  projectId: z.string().optional(),
  /** Ids of events. */
  evidence: z.array(z.string()),
  updatedAt: instantSchema,
});
export type MemoryState = z.infer<typeof memoryStateSchema>;

export const stateListQuerySchema = pageQuerySchema.extend({
  ...projectQuery,
  kind: z.enum(STATE_KINDS).optional(),
});
export type StateListQuery = z.infer<typeof stateListQuerySchema>;
export const memoryStatePageSchema = z.object({
  states: z.array(memoryStateSchema),
  nextCursor: nextCursorSchema,
});
export type MemoryStatePage = z.infer<typeof memoryStatePageSchema>;

export const searchMemoryBodySchema = z.strictObject({
  query: textSchema(1, 4_000),
  limit: z.int().min(1).max(100).default(10),
  /** What is later is not found. */
  asOf: z.iso.datetime({ offset: true }).optional(),
  ...projectQuery,
  /** false: without what was said directly before and after a hit. */
  expand: z.boolean().default(true),
});
export type SearchMemoryBody = z.infer<typeof searchMemoryBodySchema>;

export const memoryHitSchema = z.object({
  /** From 1. */
  rank: z.int(),
  type: z.enum(MEMORY_ITEM_TYPES),
  id: z.string(),
  score: z.number(),
  /** The legs of retrieval that found it. */
  hitSources: z.array(z.string()),
  text: z.string(),
  createdAt: instantSchema,
  sourceEvents: z.array(z.string()),
  /** What the events were made from, as the caller of the import named it. */
  sourceRefs: z.array(z.string()),
});
export type MemoryHit = z.infer<typeof memoryHitSchema>;

export const memorySearchSchema = z.object({
  runId: z.string(),
  degraded: z.array(z.enum(DEGRADATIONS)),
  /** Milliseconds, by step or leg. */
  timings: z.record(z.string(), z.number()),
  items: z.array(memoryHitSchema),
});
export type MemorySearch = z.infer<typeof memorySearchSchema>;

/** A line of an import (NDJSON). */
export const importLineSchema = z.strictObject({
  createdAt: z.iso.datetime({ offset: true }),
  clientId: z.string().min(1).max(200),
  threadId: z.string().min(1).max(200).optional(),
  actor: z.string().max(200).optional(),
  userText: z.string().max(100_000).optional(),
  assistantText: z.string().max(100_000).optional(),
  caption: z.string().max(100_000).optional(),
  sourceRef: z.string().min(1).max(500).optional(),
  projectId: idSchema.optional(),
});

export const importResultSchema = z.object({ imported: z.int(), skipped: z.int() });
export type ImportResult = z.infer<typeof importResultSchema>;

/** The steps of growth; `plan` and `apply` are of one event, the others of the memory. */
export const GROWTH_STEPS = ['plan', 'apply', 'indexes', 'summaries', 'tidy'] as const;
export const growthStepSchema = z.object({
  at: instantSchema,
  ms: z.number(),
  /** The code of what went wrong. */
  error: z.string().optional(),
  /** What it did, as counts. */
  counts: z.record(z.string(), z.int()).optional(),
});
export type GrowthStepRecord = z.infer<typeof growthStepSchema>;
export const growthStepsSchema = z.partialRecord(z.enum(GROWTH_STEPS), growthStepSchema);

export const GROWTH_STATES = ['pending', 'applied', 'parked'] as const;
/** How far the growth of one event is. */
export const growthJobSchema = z.object({
  eventId: z.string(),
  createdAt: instantSchema,
  /** parked: it failed too often, and waits until it is retried. */
  state: z.enum(GROWTH_STATES),
  attempts: z.int(),
  retryAt: instantSchema.nullable(),
  error: z.object({ step: z.string(), code: z.string(), message: z.string(), at: instantSchema }).nullable(),
  madeBy: z.enum(GROWN_BY).nullable(),
  steps: growthStepsSchema,
  /** Elements of the plan that were not applied, each with why. */
  dropped: z.array(z.string()),
  appliedAt: instantSchema.nullable(),
});
export type GrowthJob = z.infer<typeof growthJobSchema>;

export const indexingSchema = z.object({
  /** Events of which nothing has grown yet, and documents that are not embedded yet. */
  pendingJobs: z.int(),
  /** Events that were parked, and documents that the model refuses. */
  failedJobs: z.int(),
  embeddings: z.object({ pending: z.int(), failed: z.int() }),
  growth: z.object({ pending: z.int(), parked: z.int() }),
  /** Of the memory as a whole: when each step ran last. */
  steps: growthStepsSchema,
  /** The oldest parked events, then the next pending ones; at most 50 of each. */
  jobs: z.array(growthJobSchema),
});
export type Indexing = z.infer<typeof indexingSchema>;

/** The plan of a search (memory.md, "Synchronous path"). */
export const SEARCH_MODES = ['associative_recent', 'targeted_broad', 'explicit_about_time'] as const;
export const LIFE_STAGES = ['elementary', 'middle', 'high', 'university', 'work', ''] as const;
const yearSchema = z.int().min(1).max(9_999).nullable();
export const searchPlanSchema = z.object({
  mode: z.enum(SEARCH_MODES),
  queries: z.array(z.string()).max(5),
  time_hint: z.object({
    about_year_start: yearSchema,
    about_year_end: yearSchema,
    life_stage_hint: z.enum(LIFE_STAGES),
  }),
  diversify: z.object({
    by: z.array(z.enum(['life_stage', 'about_year_bucket'])),
    per_bucket: z.int().min(1).max(50),
  }),
  limits: z.object({ max_candidates: z.int().min(1).max(200), max_selected: z.int().min(1).max(100) }),
});
export type SearchPlan = z.infer<typeof searchPlanSchema>;

/** Exactly one id belongs to the type; the others are null. */
export const packItemSchema = z.object({
  type: z.enum(['event', 'state', 'event_affect']),
  event_id: z.string().nullable(),
  state_id: z.string().nullable(),
  affect_id: z.string().nullable(),
  why: z.string(),
  snippet: z.string(),
});
export const searchResultPackSchema = z.object({ selected: z.array(packItemSchema) });
/** What was found for one input, and nothing else: neither the time nor the mood. */
export type SearchResultPack = z.infer<typeof searchResultPackSchema>;

export const retrievalRunSchema = z.object({
  id: z.string(),
  eventId: z.string().nullable(),
  plan: searchPlanSchema,
  planSource: z.enum(['model', 'rules']),
  /** How many each collector found. */
  candidates: z.record(z.string(), z.int()),
  timings: z.record(z.string(), z.number()),
  errors: z.record(z.string(), z.string()),
  /** Null until the selection is made. */
  selected: z.array(packItemSchema).nullable(),
  selectedSource: z.enum(['model', 'rank']).nullable(),
});
export type RetrievalRun = z.infer<typeof retrievalRunSchema>;

/** Who changed a state. */
export const MADE_BY = ['model', 'rules', 'person', 'agent'] as const;

export const revisionSchema = z.object({
  id: z.string(),
  at: instantSchema,
  op: z.string(),
  before: z.unknown(),
  after: z.unknown(),
  reason: z.string(),
  evidence: z.array(z.string()),
  madeBy: z.enum(MADE_BY),
});
export const revisionPageSchema = z.object({
  revisions: z.array(revisionSchema),
  nextCursor: nextCursorSchema,
});
export type RevisionPage = z.infer<typeof revisionPageSchema>;
export const revisionListQuerySchema = pageQuerySchema.extend(projectQuery);
export type RevisionListQuery = z.infer<typeof revisionListQuerySchema>;

/** What a person changes of a state. */
export const updateStateBodySchema = z.strictObject({
  bodyText: textSchema(1, 20_000).optional(),
  /** Merged into the payload, key by key; a key that is null goes. */
  payload: z.record(z.string(), z.unknown()).optional(),
  confidence: z.number().min(0).max(1).optional(),
  /** null: it is valid again. */
  validTo: z.iso.datetime({ offset: true }).nullable().optional(),
});
export type UpdateStateBody = z.infer<typeof updateStateBodySchema>;
