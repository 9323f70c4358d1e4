import { sql } from 'kysely';
import { z } from 'zod';
import {
  ENTITY_TYPES,
  type EventAffect,
  GROWN_BY,
  GROWTH_STATES,
  type GrowthJob,
  growthStepsSchema,
  type MemoryEventDetail,
} from '../../../contract/memory.ts';
import type { Queryable } from '../../../platform/db/database.ts';
import type { MemoryScope } from '../memory-scope.ts';

const grownBySchema = z.enum(GROWN_BY);
const entityTypeSchema = z.enum(ENTITY_TYPES);
const jobStateSchema = z.enum(GROWTH_STATES);
const MOST_OF_EVENT = 200;
/** Of each list. */
const MOST_JOBS = 50;
const MOST_COUNTED = 1_000_000;

type Grown = Pick<MemoryEventDetail, 'threads' | 'affect' | 'annotation' | 'entities'>;

/** What has grown out of an event. */
export async function grownOf(db: Queryable, eventId: string): Promise<Grown> {
  const [threads, affect, annotation, entities] = await Promise.all([
    db
      .selectFrom('memoryEventThreads')
      .select(['threadKey', 'confidence'])
      .where('eventId', '=', eventId)
      .orderBy('confidence', 'desc')
      .orderBy('threadKey')
      .limit(MOST_OF_EVENT)
      .execute(),
    findAffect(db, eventId),
    findAnnotation(db, eventId),
    db
      .selectFrom('memoryEventEntities')
      .select(['type', 'label as name', 'confidence', 'madeBy'])
      .where('eventId', '=', eventId)
      .orderBy('type')
      .orderBy('memoryEventEntities.name')
      .limit(MOST_OF_EVENT)
      .execute(),
  ]);
  return {
    threads,
    affect,
    annotation,
    entities: entities.map(({ type, madeBy, ...entity }) => ({
      ...entity,
      type: entityTypeSchema.parse(type),
      madeBy: grownBySchema.parse(madeBy),
    })),
  };
}

async function findAffect(db: Queryable, eventId: string): Promise<EventAffect | null> {
  const row = await db
    .selectFrom('memoryEventAffects')
    .select(['id', 'bodyText', 'labels', 'v', 'a', 'd', 'confidence', 'madeBy'])
    .where('eventId', '=', eventId)
    .executeTakeFirst();
  if (!row) return null;
  const { v, a, d, madeBy, ...affect } = row;
  return { ...affect, vad: { v, a, d }, madeBy: grownBySchema.parse(madeBy) };
}

async function findAnnotation(db: Queryable, eventId: string): Promise<Grown['annotation']> {
  const row = await db
    .selectFrom('memoryEventAnnotations')
    .select(['aboutStart', 'aboutEnd', 'aboutYearStart', 'aboutYearEnd', 'lifeStage'])
    .select(['aboutTimeConfidence', 'madeBy'])
    .where('eventId', '=', eventId)
    .executeTakeFirst();
  if (!row) return null;
  const { aboutStart, aboutEnd, madeBy, ...about } = row;
  return {
    ...about,
    aboutStart: aboutStart?.toISOString() ?? null,
    aboutEnd: aboutEnd?.toISOString() ?? null,
    madeBy: grownBySchema.parse(madeBy),
  };
}

/** How many events of the scope are to grow still, with the summaries that are to be made; and how many are parked. */
export async function countGrowth(
  db: Queryable,
  scope: MemoryScope,
): Promise<{ pending: number; parked: number }> {
  const of = (state: 'pending' | 'parked') => sql`(select count(*) from (
    select from memory_growth g where g.state = ${sql.lit(state)} and ${inScope(scope)} limit ${MOST_COUNTED}) as g)::int`;
  const { rows } = await sql<{ pending: number; parked: number }>`
    select ${of('pending')} + ${scopesOf(scope)} as pending, ${of('parked')} as parked`.execute(db);
  return rows[0] ?? { pending: 0, parked: 0 };
}

/** The oldest parked events, and the next pending ones. */
export async function listJobs(db: Queryable, scope: MemoryScope): Promise<GrowthJob[]> {
  const of = (
    state: 'pending' | 'parked',
  ) => sql`(select * from memory_growth g where g.state = ${sql.lit(state)}
    and ${inScope(scope)} order by g.created_at, g.seq limit ${MOST_JOBS})`;
  const { rows } = await sql<JobRow>`
    select ${JOB} from (${of('parked')} union all ${of('pending')}) g
    order by g.state, g.created_at, g.seq`.execute(db);
  return rows.map(jobView);
}

export async function findJob(
  db: Queryable,
  scope: MemoryScope,
  eventId: string,
): Promise<GrowthJob | undefined> {
  const { rows } = await sql<JobRow>`
    select ${JOB} from memory_growth g where g.event_id = ${eventId} and ${inScope(scope)}`.execute(db);
  return rows.map(jobView)[0];
}

export async function stepsOf(db: Queryable, agentId: string) {
  const row = await db
    .selectFrom('memoryGrowthAgents')
    .select('steps')
    .where('agentId', '=', agentId)
    .executeTakeFirst();
  return growthStepsSchema.catch({}).parse(row?.steps ?? {});
}

const JOB = sql.raw(
  'g.event_id, g.created_at, g.state, g.attempts, g.retry_at, g.error_step, g.error_code, g.error_text, g.error_at, g.made_by, g.steps, g.dropped, g.applied_at',
);

interface JobRow {
  readonly eventId: string;
  readonly createdAt: Date;
  readonly state: string;
  readonly attempts: number;
  readonly retryAt: Date | null;
  readonly errorStep: string | null;
  readonly errorCode: string | null;
  readonly errorText: string | null;
  readonly errorAt: Date | null;
  readonly madeBy: string | null;
  readonly steps: unknown;
  readonly dropped: unknown;
  readonly appliedAt: Date | null;
}

function jobView({ errorStep, errorCode, errorText, errorAt, ...row }: JobRow): GrowthJob {
  const { eventId, attempts, createdAt, retryAt, appliedAt } = row;
  return {
    eventId,
    attempts,
    createdAt: createdAt.toISOString(),
    state: jobStateSchema.parse(row.state),
    retryAt: retryAt?.toISOString() ?? null,
    error: errorAt && {
      step: errorStep ?? '',
      code: errorCode ?? '',
      message: errorText ?? '',
      at: errorAt.toISOString(),
    },
    madeBy: row.madeBy === null ? null : grownBySchema.parse(row.madeBy),
    steps: growthStepsSchema.catch({}).parse(row.steps),
    dropped: z.array(z.string()).catch([]).parse(row.dropped),
    appliedAt: appliedAt?.toISOString() ?? null,
  };
}

function inScope({ agentId, projectId }: MemoryScope) {
  const project =
    projectId === undefined
      ? sql`true`
      : projectId === null
        ? sql`g.project_id is null`
        : sql`(g.project_id is null or g.project_id = ${projectId})`;
  return sql<boolean>`g.agent_id = ${agentId} and ${project}`;
}

function scopesOf({ agentId, projectId }: MemoryScope) {
  const project = projectId === undefined ? sql`true` : sql`project_id in ('', ${projectId ?? ''})`;
  return sql`(select count(*) from memory_summary_scopes where agent_id = ${agentId} and ${project})::int`;
}
