import { newId } from '../../platform/ids.ts';
import { type ChatTx, chatTransaction, storeMessage, storeSystemMessage } from '../chat/chat-transaction.ts';
import type { ServiceDeps } from '../deps.ts';
import { chatOf } from '../rules/work-key.ts';
import { chatThatTakesWork } from '../sessions/session-lifecycle.ts';
import { SessionQueries } from '../sessions/session-queries.ts';
import { wake } from '../wake-ups/wake.ts';
import {
  decideScheduleRun,
  makerFault,
  type ProjectStanding,
  type ScheduleRun,
} from './rules/schedule-machine.ts';
import { ScheduleQueries, type ScheduleRecord } from './schedule-queries.ts';
import { nextTime } from './schedule-times.ts';
import { switchOffSchedule } from './switch-off-schedules.ts';

/**
 * Gives the prompt of a schedule to its agent, or returns the reason why not; null when it was not due any
 * more, or its maker may not write there any more. The prompt is a message in the name of its maker
 * (`inNameOf`: of the person who runs it now) with the id of the schedule: no person waits in front of that
 * session, so it may ask no questions (trap 18).
 */
export async function runSchedule(
  deps: ServiceDeps,
  found: { readonly id: string; readonly projectId: string; readonly agentId: string },
  options: { readonly due: true } | { readonly due: false; readonly inNameOf: string },
): Promise<ScheduleRun | null> {
  return chatTransaction(deps, async (tx) => {
    const sessions = new SessionQueries(tx.db);
    // Not a member any more: the schedule was switched off in the same transaction, or is about to be.
    if (!(await sessions.lockMembership(found.projectId, found.agentId))) return null;
    const schedules = new ScheduleQueries(tx.db);
    const schedule = await schedules.lock(found.id);
    if (!schedule || schedule.agentId !== found.agentId) return null;
    const now = await tx.now();
    const around = {
      projectStatus: standingOf(await schedules.projectStatus(schedule.projectId)),
      isRunning: await schedules.isRunning(schedule.id),
    };
    const decision = decideScheduleRun(schedule, around, now, options);
    if (!decision.ok) return null;
    const humanId = options.due ? schedule.createdBy : options.inNameOf;
    const fault = makerFault(
      await schedules.makerStanding({ makerId: humanId, projectId: schedule.projectId }),
    );
    if (fault !== null) {
      // Made or switched on at the moment at which the right was taken away.
      if (options.due) await switchOffSchedule(tx, schedule, fault, now);
      return null;
    }
    const outcome = decision.value;
    if (outcome === 'started') await givePrompt(tx, schedule, humanId, now);
    if (outcome === 'skipped_overlap') await sayOverlap(tx, deps, schedule);
    await schedules.setRun(schedule.id, {
      at: now,
      outcome,
      ...(options.due && { nextRunAt: nextTime(schedule.cron, schedule.timeZone, now) }),
    });
    return outcome;
  });
}

async function givePrompt(tx: ChatTx, schedule: ScheduleRecord, humanId: string, now: Date): Promise<void> {
  const { id, projectId, agentId, prompt } = schedule;
  const open = await new SessionQueries(tx.db).lockOpen(projectId, agentId);
  if (!(await chatThatTakesWork(tx, open, now)))
    await wake(tx, chatOf(schedule), { openedBy: null, scheduleId: id, now });
  await storeMessage(tx, {
    id: newId('msg'),
    projectId,
    agentId,
    sender: 'user',
    senderId: 'user',
    humanId,
    content: prompt,
    visible: true,
    deliverTo: agentId,
    scheduleId: id,
  });
}

/** Reported once for several in a row: an agent that hangs must not fill its own chat. */
async function sayOverlap(tx: ChatTx, deps: ServiceDeps, schedule: ScheduleRecord): Promise<void> {
  if (schedule.lastRunOutcome === 'skipped_overlap') return;
  await storeSystemMessage(tx, deps, {
    projectId: schedule.projectId,
    agentId: schedule.agentId,
    code: 'schedule_overlap',
    params: { cron: schedule.cron },
    visible: true,
  });
}

/** A deleted project counts as an archived one. */
function standingOf(status: string | undefined): ProjectStanding {
  return status === 'active' || status === 'paused' ? status : 'archived';
}
