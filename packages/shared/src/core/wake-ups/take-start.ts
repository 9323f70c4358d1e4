import { z } from 'zod';
import { type AgentCommand, agentCommandSchema } from '../../contract/agent.ts';
import { appendChangeEvents } from '../../platform/changes/change-log.ts';
import type { Tx } from '../../platform/db/database.ts';
import { newId, newSecret } from '../../platform/ids.ts';
import { hashToken } from '../../platform/token-hash.ts';
import { folderOverlap } from '../access/folder-overlap-queries.ts';
import { PROVIDER_NAMES, type ProviderName } from '../agents/rules/providers.ts';
import { requireHolder } from '../coordinators/coordinator-holder.ts';
import type { ServiceDeps } from '../deps.ts';
import { SessionQueries } from '../sessions/session-queries.ts';
import { notifyPair } from '../sessions/tell-pair.ts';
import { hasFreePlace, leaveQueue, makeRoom } from './places.ts';
import { type AgentActionView, decideAgentAction, type HoldReason } from './rules/agent-action.ts';
import type { HeldFor } from './rules/wake-up-machine.ts';
import {
  findStartableAgent,
  findWorkingDirectory,
  insertRun,
  insertTicket,
  type StartableAgent,
  setFollowed,
} from './start-queries.ts';
import { expirePurpose } from './wake-up-expiry.ts';
import { type PurposeRecord, WakeUpQueries } from './wake-up-queries.ts';

export interface StartInput {
  readonly projectId: string;
  readonly agentId: string;
  readonly coordinatorId?: string | undefined;
  /** The home of the Coordinator; one that names it must be the one that has the id. */
  readonly instanceId?: string | undefined;
}

export type AgentAction =
  | { readonly action: 'hold'; readonly reason: HoldReason }
  | {
      readonly action: 'start';
      readonly reason: 'has_pending_purpose' | 'scheduled';
      readonly purpose: 'chat';
      readonly conversationId: string | null;
      readonly runId: string;
      readonly provider: ProviderName;
      readonly model: string | null;
      readonly baseUrl: string | null;
      readonly apiKeyEnv: string | null;
      readonly command: AgentCommand | null;
      readonly workingDirectory: string;
      /** We made the folder, so an unprivileged agent account may be given it. */
      readonly workingDirectoryMade: boolean;
      /** The folder of another live project lies in it or around it, as an older version let it. */
      readonly workingDirectoryOverlaps: boolean;
      /** Absent for an agent without credential. */
      readonly ticket: string | null;
    };

const providerSchema = z.enum(PROVIDER_NAMES);

/** Takes a start, or says why not. Expires a wake-up past its TTL on the way (UC010). */
export async function takeStart(deps: ServiceDeps, input: StartInput): Promise<AgentAction> {
  const ttlMs = (await deps.settings.current()).pendingPurposeTtlSeconds * 1_000;
  const once = () => deps.database.transaction((tx) => decide(tx, input, ttlMs));
  const first = await once();
  if (first !== 'expire') return withRoom(deps, first);
  await expirePurpose(deps, input);
  const second = await once();
  return second === 'expire' ? { action: 'hold', reason: 'no_pending_work' } : withRoom(deps, second);
}

/** A start that must wait for a place ends the session that is idle longest. */
async function withRoom(deps: ServiceDeps, action: AgentAction): Promise<AgentAction> {
  if (action.action === 'hold' && action.reason === 'capacity')
    await makeRoom(deps, async (sessionId, work) => {
      try {
        return await work();
      } catch (error) {
        // The sweeper asks it again; this start has to wait, whatever is wrong with another's session.
        deps.logger.warn({ err: error, sessionId }, 'a session could not make room');
        return false;
      }
    });
  return action;
}

async function decide(tx: Tx, input: StartInput, ttlMs: number): Promise<AgentAction | 'expire'> {
  const purposes = new WakeUpQueries(tx.db);
  const sessions = new SessionQueries(tx.db);
  const assigned = await sessions.lockPair(input.projectId, input.agentId);
  const row = assigned ? await purposes.lockChat(input) : null;
  const open = assigned ? await sessions.lockOpen(input.projectId, input.agentId) : [];
  const agent = await findStartableAgent(tx.db, input);
  await requireHolder(tx, input);
  const now = await tx.now();
  const view: AgentActionView = {
    assigned: assigned && agent !== undefined,
    projectStatus: agent?.projectStatus ?? 'archived',
    row,
    session: open.find((one) => one.purpose === 'chat') ?? null,
    hasFreePlace: row?.startedAt === null ? await hasFreePlace(tx.db, input.coordinatorId, now) : true,
    hasInProgressTask: (agent?.inProgress ?? 0) > 0,
    hasBlockedTask: (agent?.blocked ?? 0) > 0,
  };
  const decision = decideAgentAction(view, now, ttlMs);
  if (decision.action === 'expire') return 'expire';
  if (decision.action === 'hold') {
    if (row !== null) await hold(tx, row, decision.heldFor ?? null, now);
    return { action: 'hold', reason: decision.reason };
  }
  if (agent === undefined || row === null) return { action: 'hold', reason: 'agent_not_assigned' };
  const runId = newId('run');
  if (!(await purposes.claimChat({ ...input, runId, now })))
    return { action: 'hold', reason: 'spawn_in_progress' };
  const ticket = await openRun(tx, input, { runId, agent, conversationId: row.conversationId, now });
  // Read after the run stands: from now on the folder of its project does not change.
  const folder = await workingDirectoryOf(tx, input.projectId);
  await leaveQueue(tx, row);
  return {
    action: 'start',
    reason: row.scheduleId === null ? 'has_pending_purpose' : 'scheduled',
    purpose: 'chat',
    conversationId: row.conversationId,
    runId,
    provider: providerSchema.parse(agent.provider),
    model: agent.model,
    baseUrl: agent.baseUrl,
    apiKeyEnv: agent.apiKeyEnv,
    command: agent.command === null ? null : agentCommandSchema.parse(agent.command),
    ...folder,
    ticket,
  };
}

/** Why it waits has changed: the page says so, and those behind it move up. */
async function hold(tx: Tx, row: PurposeRecord, heldFor: HeldFor | null, now: Date): Promise<void> {
  if (row.startedAt !== null || row.heldFor === heldFor) return;
  await new WakeUpQueries(tx.db).setHeld({ ...row, heldFor, now });
  await notifyPair(tx, row);
  await leaveQueue(tx, row);
}

/** The run of a start that was just claimed, and the ticket that it signs in with; null without a credential. */
async function openRun(
  tx: Tx,
  { projectId, agentId, coordinatorId }: StartInput,
  run: { runId: string; agent: StartableAgent; conversationId: string | null; now: Date },
): Promise<string | null> {
  const { runId, agent, conversationId, now } = run;
  const { provider, model } = agent;
  await setFollowed(tx.db, { projectId, agentId });
  await insertRun(tx.db, {
    id: runId,
    agentId,
    projectId,
    purpose: 'chat',
    conversationId,
    coordinatorId: coordinatorId ?? null,
    provider,
    model,
    startedAt: now,
  });
  const ticket = agent.hasCredential ? newSecret() : null;
  if (ticket !== null)
    await insertTicket(tx.db, { ticketHash: hashToken(ticket), runId, agentId, projectId, createdAt: now });
  await appendChangeEvents(tx, [{ kind: 'run', projectId, ref: { runId, agentId } }]);
  await notifyPair(tx, { projectId, agentId });
  return ticket;
}

async function workingDirectoryOf(tx: Tx, projectId: string) {
  const folder = await findWorkingDirectory(tx.db, projectId);
  const overlap = await folderOverlap(tx.db, folder.workingDirectory, projectId);
  return { ...folder, workingDirectoryOverlaps: overlap !== undefined };
}
