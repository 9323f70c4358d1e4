import type { PageQuery } from '../../contract/page.ts';
import type {
  CreateScheduleBody,
  Schedule,
  SchedulePage,
  UpdateScheduleBody,
} from '../../contract/schedule.ts';
import { keys } from '../../platform/change-log/keys.ts';
import { AppError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { type Person, requireMember, requireWriter } from '../access/person.ts';
import { lockChatTarget, requireChatTarget } from '../chat/chat-target.ts';
import type { ServiceDeps } from '../deps.ts';
import { makerFault } from './rules/schedule-machine.ts';
import { runSchedule } from './run-schedule.ts';
import {
  type DueSchedule,
  ScheduleQueries,
  type ScheduleRecord,
  type UnsaidSchedule,
} from './schedule-queries.ts';
import { firstTime } from './schedule-times.ts';
import { isMakerFault, saySwitchedOff } from './switch-off-schedules.ts';

/** Prompts at given times: a person writes them once, the sweeper gives them to the agent at their times. */
export class ScheduleService {
  readonly #deps: ServiceDeps;

  constructor(deps: ServiceDeps) {
    this.#deps = deps;
  }

  async list(person: Person, projectId: string, page: PageQuery): Promise<SchedulePage> {
    await requireMember(this.#deps.database.db, person, projectId);
    const { rows, nextCursor } = await new ScheduleQueries(this.#deps.database.db).list(projectId, page);
    return { schedules: rows.map(toView), nextCursor };
  }

  async create(person: Person, projectId: string, body: CreateScheduleBody): Promise<Schedule> {
    await this.#requireTarget(person, { projectId, agentId: body.agentId });
    const timeZone = body.timeZone ?? this.#deps.config.timeZone;
    const id = newId('sch');
    await this.#deps.database.transaction(async (tx) => {
      await lockChatTarget(tx, { projectId, agentId: body.agentId }, { writes: true });
      const now = await tx.now();
      const next = firstTime(body.cron, timeZone, now);
      await new ScheduleQueries(tx.db).insert(
        {
          id,
          projectId,
          agentId: body.agentId,
          cron: body.cron,
          timeZone,
          prompt: body.prompt,
          enabled: body.enabled,
          onMissed: body.onMissed,
          createdBy: person.id,
          nextRunAt: body.enabled ? next : null,
        },
        now,
      );
      tx.dirty(keys.deadline);
    });
    return this.#view(id);
  }

  /**
   * Fields that are named change; the next time is computed from now. When the schedule cannot run in its
   * maker's name any more, the person who switches it on becomes the person in whose name it runs.
   */
  async update(person: Person, id: string, body: UpdateScheduleBody): Promise<Schedule> {
    const found = await this.#visible(person, id);
    const target = { projectId: found.projectId, agentId: body.agentId ?? found.agentId };
    await this.#requireTarget(person, target);
    await this.#deps.database.transaction(async (tx) => {
      await lockChatTarget(tx, target, { writes: true });
      const schedules = new ScheduleQueries(tx.db);
      const schedule = await schedules.lock(id);
      if (!schedule) throw scheduleNotFound();
      const now = await tx.now();
      const { cron, timeZone, enabled } = { ...schedule, ...defined(body) };
      const next = firstTime(cron, timeZone, now);
      const standing = { makerId: schedule.createdBy, projectId: schedule.projectId };
      const needsMaker =
        enabled &&
        (isMakerFault(schedule.offReason) || makerFault(await schedules.makerStanding(standing)) !== null);
      await schedules.update(
        id,
        {
          ...body,
          nextRunAt: enabled ? next : null,
          ...(enabled && { offReason: null, offSaid: true }),
          ...(needsMaker && { createdBy: person.id }),
        },
        now,
      );
      tx.dirty(keys.deadline);
    });
    return this.#view(id);
  }

  async remove(person: Person, id: string): Promise<void> {
    await this.#visible(person, id);
    requireWriter(person);
    await this.#deps.database.transaction(async (tx) =>
      new ScheduleQueries(tx.db).remove(id, await tx.now()),
    );
  }

  /** Gives the prompt now, enabled or not; `lastRun` shows an overlap or a paused project. */
  async run(person: Person, id: string): Promise<Schedule> {
    const found = await this.#visible(person, id);
    await this.#requireTarget(person, found);
    await runSchedule(this.#deps, found, { due: false, inNameOf: person.id });
    return this.#view(id);
  }

  /** Those that are due, the first first, after the position `after`: for the sweeper. */
  due(page: { after: DueSchedule | null; limit: number }): Promise<DueSchedule[]> {
    return new ScheduleQueries(this.#deps.database.db).due(this.#deps.clock.now(), page);
  }

  /** Gives the prompt of a due schedule, or records the reason why not. False: it was not due any more. */
  async runDue(schedule: DueSchedule): Promise<boolean> {
    return (await runSchedule(this.#deps, schedule, { due: true })) !== null;
  }

  /**
   * Those that were switched off without a line in the agent's chat so far, after the position `after`: for
   * the sweeper.
   */
  unsaid(page: { after: UnsaidSchedule | null; limit: number }): Promise<UnsaidSchedule[]> {
    return new ScheduleQueries(this.#deps.database.db).unsaid(page);
  }

  /**
   * Writes there that it was switched off, and why. False: it is written already, or the schedule is on
   * again.
   */
  async sayOff(schedule: UnsaidSchedule): Promise<boolean> {
    return saySwitchedOff(this.#deps, schedule);
  }

  /** The agent is an AI member of a project that is not archived, and the person may write there. */
  async #requireTarget(person: Person, membership: { projectId: string; agentId: string }): Promise<void> {
    await requireChatTarget(this.#deps.database.db, person, membership, 'writes');
  }

  async #visible(person: Person, id: string): Promise<ScheduleRecord> {
    const { db } = this.#deps.database;
    const schedule = await new ScheduleQueries(db).find(id);
    if (!schedule) throw scheduleNotFound();
    try {
      await requireMember(db, person, schedule.projectId);
    } catch (error) {
      if (error instanceof AppError && error.code === 'project_not_found') throw scheduleNotFound();
      throw error;
    }
    return schedule;
  }

  async #view(id: string): Promise<Schedule> {
    const schedule = await new ScheduleQueries(this.#deps.database.db).find(id);
    if (!schedule) throw scheduleNotFound();
    return toView(schedule);
  }
}

function defined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

function toView(schedule: ScheduleRecord): Schedule {
  const { lastRunAt, lastRunOutcome, nextRunAt, offReason } = schedule;
  return {
    id: schedule.id,
    projectId: schedule.projectId,
    agentId: schedule.agentId,
    cron: schedule.cron,
    timeZone: schedule.timeZone,
    prompt: schedule.prompt,
    enabled: schedule.enabled,
    ...(offReason !== null && { offReason }),
    createdBy: schedule.createdBy,
    onMissed: schedule.onMissed,
    createdAt: schedule.createdAt.toISOString(),
    updatedAt: schedule.updatedAt.toISOString(),
    ...(nextRunAt !== null && { nextRunAt: nextRunAt.toISOString() }),
    ...(lastRunAt !== null &&
      lastRunOutcome !== null && { lastRun: { at: lastRunAt.toISOString(), outcome: lastRunOutcome } }),
  };
}

function scheduleNotFound(): AppError {
  return new AppError(
    'schedule_not_found',
    'There is no such schedule, or you are not a member of its project.',
  );
}
