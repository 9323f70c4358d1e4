import { sql } from 'kysely';
import { z } from 'zod';
import { ON_MISSED, SCHEDULE_OUTCOMES, type ScheduleOutcome } from '../../contract/schedule.ts';
import type { ScheduleSnapshot } from '../../domain/schedule/schedule-machine.ts';
import type { Queryable } from '../database.ts';
import { after, type PageOf, type PageRequest, toPage } from './page.ts';

export interface ScheduleRecord extends ScheduleSnapshot {
  readonly id: string;
  readonly projectId: string;
  readonly agentId: string;
  readonly cron: string;
  readonly timeZone: string;
  readonly prompt: string;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly lastRunAt: Date | null;
  readonly lastRunOutcome: ScheduleOutcome | null;
}

/** What may be set; what is not named stays. */
export interface ScheduleValues {
  readonly agentId?: string | undefined;
  readonly cron?: string | undefined;
  readonly timeZone?: string | undefined;
  readonly prompt?: string | undefined;
  readonly enabled?: boolean | undefined;
  readonly onMissed?: ScheduleSnapshot['onMissed'] | undefined;
  readonly nextRunAt?: Date | null | undefined;
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
  'createdAt',
  'updatedAt',
  'nextRunAt',
  'lastRunAt',
  'lastRunOutcome',
] as const;

const onMissedSchema = z.enum(ON_MISSED);
const outcomeSchema = z.enum(SCHEDULE_OUTCOMES).nullable();

type ScheduleRow = Omit<ScheduleRecord, 'onMissed' | 'lastRunOutcome'> & {
  onMissed: string;
  lastRunOutcome: string | null;
};

function toSchedule(row: ScheduleRow): ScheduleRecord {
  return {
    ...row,
    onMissed: onMissedSchema.parse(row.onMissed),
    lastRunOutcome: outcomeSchema.parse(row.lastRunOutcome),
  };
}

export class ScheduleRepository {
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

  async list(projectId: string, page: PageRequest): Promise<PageOf<ScheduleRecord>> {
    const rows = await this.#live()
      .where('projectId', '=', projectId)
      .where(after('schedules', page.cursor))
      .orderBy('createdAt')
      .orderBy('id')
      .limit(page.limit + 1)
      .execute();
    return toPage(rows.map(toSchedule), page.limit);
  }

  async insert(
    schedule: Omit<ScheduleRecord, 'createdAt' | 'updatedAt' | 'lastRunAt' | 'lastRunOutcome'>,
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
      .set({ deletedAt: now, enabled: false, nextRunAt: null })
      .where('id', '=', id)
      .execute();
  }

  /** What came of a time that was due (`nextRunAt`), or of a person's "now" (it stays as it is). */
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

  /** Agent, project or the person behind it goes away: off, until somebody switches it on again. */
  async switchOff(pair: { projectId: string; agentId: string }, now: Date): Promise<void> {
    await this.#db
      .updateTable('schedules')
      .set({ enabled: false, nextRunAt: null, updatedAt: now })
      .where('projectId', '=', pair.projectId)
      .where((eb) => eb.or([eb('agentId', '=', pair.agentId), eb('createdBy', '=', pair.agentId)]))
      .where('enabled', '=', true)
      .execute();
  }

  async due(now: Date): Promise<{ id: string; projectId: string; agentId: string }[]> {
    return this.#db
      .selectFrom('schedules')
      .select(['id', 'projectId', 'agentId'])
      .where('nextRunAt', '<=', now)
      .orderBy('nextRunAt')
      .limit(200)
      .execute();
  }

  /** Whether the last prompt of this schedule still waits or is worked on. */
  async isRunning(id: string): Promise<boolean> {
    const { rows } = await sql<{ running: boolean }>`select exists (select from chat_messages
      where schedule_id = ${id} and state in ('stored', 'delivered')) as running`.execute(this.#db);
    return rows[0]?.running ?? false;
  }

  #live() {
    return this.#db.selectFrom('schedules').select(COLUMNS).where('deletedAt', 'is', null);
  }
}
