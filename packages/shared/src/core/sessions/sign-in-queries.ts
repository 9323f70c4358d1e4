import { sql } from 'kysely';
import { z } from 'zod';
import type { Queryable } from '../../platform/db/database.ts';
import { worksInFolder } from '../agents/rules/providers.ts';
import { PERMISSION_POLICIES, type PermissionPolicy } from '../approvals/rules/permission-policy.ts';
import { type MembershipKey, PURPOSES, type Purpose, type WorkKey } from '../rules/work-key.ts';

const policySchema = z.enum(PERMISSION_POLICIES);

/** A launch ticket with the columns of its run. */
export interface TicketRow {
  readonly runId: string;
  /** The session that it has opened. */
  readonly sessionId: string | null;
  readonly usedAt: Date | null;
  readonly revokedAt: Date | null;
  readonly runState: string;
  readonly stopRequestedAt: Date | null;
  /** Of the run: what was started reads and writes files. */
  readonly worksInFolder: boolean;
}

/** An agent as the answer to its sign-in shows it. */
export interface SigningInAgent {
  readonly id: string;
  readonly name: string;
  readonly systemPrompt: string | null;
  /** Of the project. */
  readonly permissionPolicy: PermissionPolicy;
  readonly chatContextSince: Date;
}

/** The work for which a ticket was made: that of its run; undefined: it is not a ticket. */
export async function findWorkOfTicket(db: Queryable, ticketHash: string): Promise<WorkKey | undefined> {
  const { rows } = await sql<WorkKey>`
    select r.project_id, r.agent_id, r.purpose, r.task_id
    from launch_tickets t join agent_runs r on r.id = t.run_id where t.ticket_hash = ${ticketHash}`.execute(
    db,
  );
  return rows[0];
}

/** Locks the ticket and its run. */
export async function lockTicket(db: Queryable, ticketHash: string): Promise<TicketRow | undefined> {
  const row = await db
    .selectFrom('launchTickets as t')
    .innerJoin('agentRuns as r', 'r.id', 't.runId')
    .select(['t.runId', 't.sessionId', 't.usedAt', 't.revokedAt', 'r.state as runState', 'r.stopRequestedAt'])
    .select('r.provider')
    .where('t.ticketHash', '=', ticketHash)
    .forUpdate()
    .executeTakeFirst();
  return row && { ...row, worksInFolder: worksInFolder(row.provider) };
}

export async function bindTicket(db: Queryable, ticketHash: string, sessionId: string): Promise<void> {
  await db.updateTable('launchTickets').set({ sessionId }).where('ticketHash', '=', ticketHash).execute();
}

/** The ticket was the bearer of a call other than its sign-in. */
export async function setTicketUsed(db: Queryable, ticketHash: string): Promise<void> {
  await sql`update launch_tickets set used_at = clock_timestamp()
        where ticket_hash = ${ticketHash} and used_at is null`.execute(db);
}

export async function setRunning(db: Queryable, runId: string): Promise<void> {
  await db
    .updateTable('agentRuns')
    .set({ state: 'running' })
    .where('id', '=', runId)
    .where('state', '=', 'starting')
    .execute();
}

/** The AI agent, when it and the project are live and it is a member. */
export async function findLiveAgent(
  db: Queryable,
  membership: MembershipKey,
): Promise<SigningInAgent | undefined> {
  const agent = await db
    .selectFrom('agents as a')
    .innerJoin('projects as p', (join) => join.on('p.id', '=', membership.projectId))
    .innerJoin('projectAgents as m', (join) =>
      join.onRef('m.projectId', '=', 'p.id').onRef('m.agentId', '=', 'a.id'),
    )
    .select(['a.id', 'a.name', 'a.systemPrompt', 'p.permissionPolicy', 'm.chatContextSince'])
    .where('a.id', '=', membership.agentId)
    .where('a.type', '=', 'ai')
    .where('a.deletedAt', 'is', null)
    .where('p.status', '<>', 'archived')
    .where('p.deletedAt', 'is', null)
    .executeTakeFirst();
  return agent && { ...agent, permissionPolicy: policySchema.parse(agent.permissionPolicy) };
}

/**
 * Marks the runs of the started wake-ups of the membership, those of one purpose where the sign-in named it.
 * False: there is none, or all are marked.
 */
export async function setSignInRefused(
  db: Queryable,
  { projectId, agentId, purpose }: MembershipKey & { readonly purpose?: Purpose | undefined },
  now: Date,
): Promise<boolean> {
  const runs = await db
    .updateTable('agentRuns as r')
    .from('pendingAgentPurposes as p')
    .set({ signInRefusedAt: now })
    .whereRef('r.id', '=', 'p.runId')
    .where('p.projectId', '=', projectId)
    .where('p.agentId', '=', agentId)
    .where('p.purpose', 'in', purpose === undefined ? PURPOSES : [purpose])
    .where('r.signInRefusedAt', 'is', null)
    .returning('r.id')
    .execute();
  return runs.length > 0;
}
