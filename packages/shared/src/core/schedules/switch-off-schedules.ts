import type { Tx } from '../../platform/db/database.ts';
import type { SystemTextCode } from '../../platform/texts/system-texts.ts';
import { appendAudit } from '../access/audit-queries.ts';
import { agentName } from '../access/name-queries.ts';
import { chatTransaction, storeSystemMessage } from '../chat/chat-transaction.ts';
import type { ServiceDeps } from '../deps.ts';
import { SessionQueries } from '../sessions/session-queries.ts';
import { type MakerFault, makerFault } from './rules/schedule-machine.ts';
import { ScheduleQueries } from './schedule-queries.ts';

/**
 * Switches off the schedules that may not run in a person's name any more, in all projects. Call it in the
 * transaction that took the right away, after that change. `leaves`: a project from which the person was
 * removed; there the schedules of an owner are switched off too.
 */
export async function switchOffSchedulesOf(
  tx: Tx,
  personId: string,
  now: Date,
  options: { readonly leaves?: string } = {},
): Promise<void> {
  const schedules = new ScheduleQueries(tx.db);
  for (const { id, projectId } of await schedules.lockEnabledOf(personId)) {
    const fault =
      projectId === options.leaves
        ? 'maker_not_member'
        : makerFault(await schedules.makerStanding({ makerId: personId, projectId }));
    if (fault !== null) await switchOffSchedule(tx, { id, projectId, createdBy: personId }, fault, now);
  }
}

/** The caller has locked the row. The sweeper writes in the agent's chat. */
export async function switchOffSchedule(
  tx: Tx,
  schedule: { readonly id: string; readonly projectId: string; readonly createdBy: string },
  reason: MakerFault,
  now: Date,
): Promise<void> {
  const { id, projectId, createdBy } = schedule;
  await new ScheduleQueries(tx.db).switchOff(id, reason, now);
  await appendAudit(tx.db, {
    actorId: 'system',
    action: 'schedule.switched_off',
    targetId: id,
    projectId,
    details: { reason, createdBy },
  });
}

const TEXTS = {
  maker_deleted: 'schedule_maker_deleted',
  maker_not_member: 'schedule_maker_not_member',
  maker_may_not_write: 'schedule_maker_may_not_write',
} as const satisfies Record<MakerFault, SystemTextCode>;

/**
 * Writes in the agent's chat why one of its schedules is off; once, whichever process is faster. False: there
 * was nothing to write.
 */
export async function saySwitchedOff(
  deps: ServiceDeps,
  found: { readonly id: string; readonly projectId: string; readonly agentId: string },
): Promise<boolean> {
  return chatTransaction(deps, async (tx) => {
    const isMember = await new SessionQueries(tx.db).lockMembership(found.projectId, found.agentId);
    const schedules = new ScheduleQueries(tx.db);
    const schedule = await schedules.lock(found.id);
    if (!schedule || schedule.offSaid || schedule.agentId !== found.agentId) return false;
    await schedules.setSaid(schedule.id);
    const { offReason, projectId, agentId, cron, createdBy } = schedule;
    // An agent that was removed has no chat; the page shows the reason.
    if (!isMember || !isMakerFault(offReason)) return false;
    const params = { cron, person: await agentName(tx.db, createdBy) };
    await storeSystemMessage(tx, deps, { projectId, agentId, code: TEXTS[offReason], params, visible: true });
    return true;
  });
}

export function isMakerFault(reason: string | null): reason is MakerFault {
  return reason !== null && reason in TEXTS;
}
