import { sql } from 'kysely';
import { z } from 'zod';
import { ACCESS_LEVELS } from '../../contract/agent.ts';
import {
  ON_MISSED,
  SCHEDULE_OFF_REASONS,
  SCHEDULE_OUTCOMES,
  type ScheduleOffReason,
  type ScheduleOutcome,
} from '../../contract/schedule.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { after, bytesOf, type PageOf, type PageRequest, readPage } from '../../platform/db/page.ts';
import type { MakerStanding, ScheduleSnapshot } from './rules/schedule-machine.ts';

export interface ScheduleRecord extends ScheduleSnapshot {
  readonly id: string;
  readonly projectId: string;
  readonly agentId: string;
  readonly cron: string;
  readonly timeZone: string;
  readonly prompt: string;
  readonly createdBy: string;
  readonly offReason: ScheduleOffReason | null;
  /** False: the reason for which it is off has not been written in the agent's chat yet. */
  readonly offSaid: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly lastRunAt: Date | null;
  readonly lastRunOutcome: ScheduleOutcome | null;
}

export interface UnsaidSchedule {
  readonly id: string;
  readonly projectId: string;
  readonly agentId: string;
}

export interface DueSchedule extends UnsaidSchedule {
  readonly nextRunAt: Date;
}

/** The fields that may be set; a field that is not named does not change. */
export interface ScheduleValues {
  readonly agentId?: string | undefined;
  readonly cron?: string | undefined;
  readonly timeZone?: string | undefined;
  readonly prompt?: string | undefined;
  readonly enabled?: boolean | undefined;
  readonly onMissed?: ScheduleSnapshot['onMissed'] | undefined;
  readonly nextRunAt?: Date | null | undefined;
  readonly createdBy?: string;
  readonly offReason?: null;
  readonly offSaid?: true;
}

const COLUMNS = [
  'id',
  'projectId',
  'agentId',
  'cron',
  'timeZone',
  'prompt',
  'enabled',
  'onMissed',
  'createdBy',
  'offReason',
  'offSaid',
  'createdAt',
  'updatedAt',
  'nextRunAt',
  'lastRunAt',
  'lastRunOutcome',
] as const;

const onMissedSchema = z.enum(ON_MISSED);
const outcomeSchema = z.enum(SCHEDULE_OUTCOMES).nullable();
const offReasonSchema = z.enum(SCHEDULE_OFF_REASONS).nullable();
const accessLevelSchema = z.enum(ACCESS_LEVELS);

type ScheduleRow = Omit<ScheduleRecord, 'onMissed' | 'lastRunOutcome' | 'offReason'> & {
  onMissed: string;
  offReason: string | null;
  lastRunOutcome: string | null;
};

function toSchedule(row: ScheduleRow): ScheduleRecord {
  return {
    ...row,
    onMissed: onMissedSchema.parse(row.onMissed),
    offReason: offReasonSchema.parse(row.offReason),
    lastRunOutcome: outcomeSchema.parse(row.lastRunOutcome),
  };
}

export class ScheduleQueries {
  readonly #db: Queryable;

  constructor(db: Queryable) {
    this.#db = db;
  }

  async find(id: string): Promise<ScheduleRecord | null> {
    const row = await this.#live().where('id', '=', id).executeTakeFirst();
    return row ? toSchedule(row) : null;
  }

  async lock(id: string): Promise<ScheduleRecord | null> {
    const row = await this.#live().where('id', '=', id).forUpdate().executeTakeFirst();
    return row ? toSchedule(row) : null;
  }

  /** In the order of their creation; fewer than the limit when their prompts are long (PAGE_BYTES). */
  async list(projectId: string, page: PageRequest): Promise<PageOf<ScheduleRecord>> {
    const found = await this.#live()
      .clearSelect()
      .select(['id', 'createdAt', bytesOf({ texts: ['prompt'] })])
      .where('projectId', '=', projectId)
      .where(after('schedules', page.cursor))
      .orderBy('createdAt')
      .orderBy('id')
      .limit(page.limit + 1)
      .execute();
    return readPage(found, page.limit, async (ids) => {
      const rows = await this.#live()
        .where('id', 'in', [...ids])
        .execute();
      return rows.map(toSchedule);
    });
  }

  async insert(
    schedule: Omit<
      ScheduleRecord,
      'createdAt' | 'updatedAt' | 'lastRunAt' | 'lastRunOutcome' | 'offReason' | 'offSaid'
    >,
    now: Date,
  ): Promise<void> {
    await this.#db
      .insertInto('schedules')
      .values({ ...schedule, createdAt: now, updatedAt: now })
      .execute();
  }

  async update(id: string, values: ScheduleValues, now: Date): Promise<void> {
    await this.#db
      .updateTable('schedules')
      .set({ ...values, updatedAt: now })
      .where('id', '=', id)
      .where('deletedAt', 'is', null)
      .execute();
  }

  async remove(id: string, now: Date): Promise<void> {
    await this.#db
      .updateTable('schedules')
      .set({ deletedAt: now, enabled: false, nextRunAt: null, offSaid: true })
      .where('id', '=', id)
      .execute();
  }

  /** The result of a due time (`nextRunAt`), or of a person's "now" (then it does not change). */
  async setRun(
    id: string,
    run: { at: Date; outcome: ScheduleOutcome; nextRunAt?: Date | null },
  ): Promise<void> {
    await this.#db
      .updateTable('schedules')
      .set({
        lastRunAt: run.at,
        lastRunOutcome: run.outcome,
        ...(run.nextRunAt !== undefined && { nextRunAt: run.nextRunAt }),
      })
      .where('id', '=', id)
      .execute();
  }

  /**
   * The agent or its project is being removed: off, until a person switches it on again. Nothing is written
   * in the chat, because it is removed too.
   */
  async switchOffOfAgent(
    membership: { projectId: string; agentId: string },
    offReason: ScheduleOffReason,
    now: Date,
  ): Promise<void> {
    await this.#db
      .updateTable('schedules')
      .set({ enabled: false, nextRunAt: null, offReason, updatedAt: now })
      .where('projectId', '=', membership.projectId)
      .where('agentId', '=', membership.agentId)
      .where('enabled', '=', true)
      .execute();
  }

  /** A schedule whose maker may not write there any more; the agent's chat must still be told. */
  async switchOff(id: string, offReason: ScheduleOffReason, now: Date): Promise<void> {
    await this.#db
      .updateTable('schedules')
      .set({ enabled: false, nextRunAt: null, offReason, offSaid: false, updatedAt: now })
      .where('id', '=', id)
      .where('enabled', '=', true)
      .execute();
  }

  /** Locks the schedules that run in a person's name, in the order of ids. */
  async lockEnabledOf(makerId: string): Promise<{ id: string; projectId: string; agentId: string }[]> {
    return this.#db
      .selectFrom('schedules')
      .select(['id', 'projectId', 'agentId'])
      .where('createdBy', '=', makerId)
      .where('enabled', '=', true)
      .orderBy('id')
      .forUpdate()
      .execute();
  }

  async makerStanding(maker: { makerId: string; projectId: string }): Promise<MakerStanding> {
    const row = await this.#db
      .selectFrom('agents as a')
      .leftJoin('projectAgents as m', (join) =>
        join.onRef('m.agentId', '=', 'a.id').on('m.projectId', '=', maker.projectId),
      )
      .select(['a.deletedAt', 'a.accessLevel', 'm.agentId as memberId'])
      .where('a.id', '=', maker.makerId)
      .executeTakeFirstOrThrow();
    return {
      isDeleted: row.deletedAt !== null,
      accessLevel: accessLevelSchema.parse(row.accessLevel),
      isMember: row.memberId !== null,
    };
  }

  /**
   * Schedules that were switched off without a line in the agent's chat so far; after the position `after`,
   * for the sweeper.
   */
  async unsaid({ after, limit }: { after: UnsaidSchedule | null; limit: number }): Promise<UnsaidSchedule[]> {
    return this.#db
      .selectFrom('schedules')
      .select(['id', 'projectId', 'agentId'])
      .where('offSaid', '=', false)
      .where('id', '>', after?.id ?? '')
      .orderBy('id')
      .limit(limit)
      .execute();
  }

  async setSaid(id: string): Promise<void> {
    await this.#db.updateTable('schedules').set({ offSaid: true }).where('id', '=', id).execute();
  }

  /** Those that are due, the first first, after the position `after`: for the sweeper. */
  async due(
    now: Date,
    { after, limit }: { after: DueSchedule | null; limit: number },
  ): Promise<DueSchedule[]> {
    const { rows } = await sql<DueSchedule>`
      select id, project_id, agent_id, next_run_at from schedules
      where next_run_at <= ${now}
        and (next_run_at, id) > (${after?.nextRunAt ?? new Date(0)}, ${after?.id ?? ''})
      order by next_run_at, id limit ${limit}`.execute(this.#db);
    return rows;
  }

  /** Whether the last prompt of this schedule still waits or is being worked on. */
  /** Undefined: the project does not exist, or it is deleted. */
  async projectStatus(projectId: string): Promise<string | undefined> {
    const project = await this.#db
      .selectFrom('projects')
      .select('status')
      .where('id', '=', projectId)
      .where('deletedAt', 'is', null)
      .executeTakeFirst();
    return project?.status;
  }

  async isRunning(id: string): Promise<boolean> {
    const { rows } = await sql<{ running: boolean }>`select exists (select from chat_messages
      where schedule_id = ${id} and state in ('stored', 'delivered')) as running`.execute(this.#db);
    return rows[0]?.running ?? false;
  }

  #live() {
    return this.#db.selectFrom('schedules').select(COLUMNS).where('deletedAt', 'is', null);
  }
}
