import { z } from 'zod';
import {
  type AgentCommand,
  type AgentExecutor,
  type AgentLimits,
  agentCommandSchema,
  agentLimitsSchema,
} from '../../contract/agent.ts';
import { appendChangeEvents } from '../../platform/change-log/change-log.ts';
import type { Tx } from '../../platform/db/database.ts';
import { newId, newSecret } from '../../platform/ids.ts';
import { hashToken } from '../../platform/token-hash.ts';
import { folderOverlap } from '../access/folder-overlap-queries.ts';
import { PROVIDER_NAMES, PROVIDERS, type ProviderName } from '../agents/rules/providers.ts';
import { requireHolder } from '../coordinators/coordinator-holder.ts';
import type { ServiceDeps } from '../deps.ts';
import { isFolderTakenFor, lockFolder } from '../folders/folder-queries.ts';
import { type Purpose, type WorkKey, workKeyOf } from '../rules/work-key.ts';
import { notifyMembership } from '../sessions/notify-membership.ts';
import { SessionQueries } from '../sessions/session-queries.ts';
import { openAttempt } from '../task-work/attempt-queries.ts';
import { needsWorktree } from '../worktrees/rules/needs-worktree.ts';
import { takeOverWorktree } from '../worktrees/take-over.ts';
import { makeRoom } from './evict-idle-session.ts';
import { restartConversationsWithout } from './folder-start-queries.ts';
import { hasWhatNeeds, isForOther, type Need, needOf } from './needs-queries.ts';
import { refuseOverLimit } from './refuse-over-limit.ts';
import {
  type AgentActionDecision,
  type AgentActionView,
  decideAgentAction,
  type HoldReason,
  type StartReason,
} from './rules/agent-action.ts';
import type { HeldFor } from './rules/wake-up-machine.ts';
import {
  findStartableAgent,
  findWorkingDirectory,
  insertRun,
  insertTicket,
  lockTasksOf,
  type StartableAgent,
  setFollowed,
} from './start-queries.ts';
import { leaveQueue } from './start-queue.ts';
import { expireWakeUp } from './wake-up-expiry.ts';
import { WakeUpQueries, type WakeUpRecord } from './wake-up-queries.ts';
import { type Work, worksOfMembership } from './works-of-membership.ts';

export interface StartInput {
  readonly projectId: string;
  readonly agentId: string;
  readonly coordinatorId?: string | undefined;
  /** The home of the Coordinator; one that names it must be the Coordinator that has the id. */
  readonly instanceId?: string | undefined;
}

export type AgentAction =
  | { readonly action: 'hold'; readonly reason: HoldReason }
  | {
      readonly action: 'start';
      readonly reason: StartReason | 'scheduled';
      readonly purpose: Purpose;
      /** Of a start for a task. */
      readonly taskId?: string;
      readonly conversationId: string | null;
      readonly runId: string;
      readonly provider: ProviderName;
      readonly model: string | null;
      readonly baseUrl: string | null;
      readonly apiKeyEnv: string | null;
      readonly command: AgentCommand | null;
      /** What it may need in a container, where it is not as the Coordinator sets it. */
      readonly limits: AgentLimits | null;
      /** In which it is started in a container, where that is not the one of the Coordinator. */
      readonly image: string | null;
      /** In what it must live: its Coordinator refuses what it does not have. */
      readonly executor: AgentExecutor;
      /** The hosts that it may reach beside the mcp-server; null: no list. Its Coordinator refuses what it cannot keep. */
      readonly egress: string[] | null;
      /**
       * Absent, as the two that follow, when the Coordinator does not have what the run needs (needs-queries.ts): it has to say
       * so, and one of an older version, which does not know `executor` or `egress`, starts nothing without a folder.
       */
      readonly workingDirectory?: string;
      /** We made the folder, so an unprivileged account of agents may own it. */
      readonly workingDirectoryMade?: boolean;
      /** The folder of another live project is inside or around it, which an older version allowed. */
      readonly workingDirectoryOverlaps?: boolean;
      /** It gets a worktree of its own. */
      readonly worktree: boolean;
      /** It goes on in the worktree that was made for this run. */
      readonly worktreeMadeFor?: string;
      /** Absent for an agent without credential. */
      readonly ticket: string | null;
    };

const providerSchema = z.enum(PROVIDER_NAMES);

/**
 * The maximum of rows past their TTL that one call expires, or refuses; with more of them it is held, and called
 * again.
 */
const MAX_EXPIRED = 10;

/**
 * Takes a start, or returns the reason why there is none: chat before task. Expires wake-ups past their TTL
 * in the same call (UC010).
 */
export async function takeStart(deps: ServiceDeps, input: StartInput): Promise<AgentAction> {
  const ttlMs = (await deps.settings.current()).pendingPurposeTtlSeconds * 1_000;
  for (let times = 0; times <= MAX_EXPIRED; times += 1) {
    const action = await decideInFolder(deps, input, ttlMs);
    if (action.action === 'refuse') await refuseOverLimit(deps, action.key);
    else if (action.action === 'expire') await expireWakeUp(deps, action.key);
    else return withRoom(deps, action);
  }
  return { action: 'hold', reason: 'no_pending_work' };
}

/** A start that must wait for a place ends the session that has been idle longest. */
async function withRoom(deps: ServiceDeps, action: AgentAction): Promise<AgentAction> {
  if (action.action === 'hold' && action.reason === 'capacity')
    await makeRoom(deps, async (sessionId, work) => {
      try {
        return await work();
      } catch (error) {
        // The sweeper tries this again; this start has to wait, even if the other session cannot be ended.
        deps.logger.warn({ err: error, sessionId }, 'a session could not make room');
        return false;
      }
    });
  return action;
}

type Decided = AgentAction | { action: 'expire'; key: WorkKey } | { action: 'refuse'; key: WorkKey };

/**
 * Where the start would take the folder of the project, the same again with the folder locked: that comes before all
 * other locks.
 */
async function decideInFolder(deps: ServiceDeps, input: StartInput, ttlMs: number): Promise<Decided> {
  const decided = await deps.database.transaction((tx) => decide(tx, input, { ttlMs, isLocked: false }));
  if (decided.action !== 'lock_folder') return decided;
  const again = await deps.database.transaction(async (tx) => {
    await lockFolder(tx.db, input.projectId);
    return decide(tx, input, { ttlMs, isLocked: true });
  });
  if (again.action === 'lock_folder') throw new Error('the folder is locked');
  return again;
}

async function decide(
  tx: Tx,
  input: StartInput,
  { ttlMs, isLocked }: { ttlMs: number; isLocked: boolean },
): Promise<Decided | { action: 'lock_folder' }> {
  const { view, agent, now } = await look(tx, input, { isLocked });
  // Why its rows wait is for the other Coordinator to say.
  const need = agent && needOf(agent);
  if (need && (await isForOther(tx.db, input.coordinatorId, need, now)))
    return { action: 'hold', reason: need === 'egress' ? 'needs_egress' : 'needs_container' };
  const decision = decideAgentAction(view, now, ttlMs);
  if (decision.action === 'expire') return { action: 'expire', key: decision.work.key };
  if (decision.action === 'refuse') return { action: 'refuse', key: decision.work.key };
  if (takesFolder(decision, agent) && !isLocked) return { action: 'lock_folder' };
  for (const { work, heldFor } of decision.rests)
    if (work.row !== null) await hold(tx, work.row, heldFor, now);
  if (decision.action === 'hold') return { action: 'hold', reason: decision.reason };
  const { row } = decision.work;
  if (agent === undefined || row === null) return { action: 'hold', reason: 'agent_not_assigned' };
  return claim(tx, input, { agent, row, need, reason: decision.reason, now });
}

/** The start of this row with its run, its ticket and its folder, if no other call has taken it. */
async function claim(
  tx: Tx,
  input: StartInput,
  start: { agent: StartableAgent; row: WakeUpRecord; need: Need | undefined; reason: StartReason; now: Date },
): Promise<AgentAction> {
  const { agent, row, need, reason, now } = start;
  const runId = newId('run');
  if (!(await new WakeUpQueries(tx.db).claim({ ...row, runId, now })))
    return { action: 'hold', reason: 'spawn_in_progress' };
  if (row.heldFor === 'folder_in_use') await restartConversationsWithout(tx.db, row, now);
  const ticket = await openRun(tx, input, { runId, agent, row, now });
  const provider = providerSchema.parse(agent.provider);
  const mayRun = !need || (await hasWhatNeeds(tx.db, input.coordinatorId, need));
  const folder = mayRun ? await folderOf(tx, input, { runId, row, provider }) : { worktree: false };
  await leaveQueue(tx, row);
  return {
    action: 'start',
    reason: row.scheduleId === null ? reason : 'scheduled',
    purpose: row.purpose,
    ...(row.purpose === 'task' && { taskId: row.taskId }),
    conversationId: row.conversationId,
    runId,
    provider,
    model: agent.model,
    baseUrl: agent.baseUrl,
    apiKeyEnv: agent.apiKeyEnv,
    command: agent.command === null ? null : agentCommandSchema.parse(agent.command),
    executor: agent.executor,
    limits: agent.limits === null ? null : agentLimitsSchema.parse(agent.limits),
    image: agent.image,
    egress: agent.egress,
    ...folder,
    ticket,
  };
}

/** The session of a task waits for the folder itself (folder-lease.ts): it is told its task when the folder is free. */
function takesFolder(decision: AgentActionDecision<Work>, agent: StartableAgent | undefined): boolean {
  return decision.action === 'start' && decision.work.purpose === 'chat' && agent?.reservesFolder === true;
}

/** The input of the rule, read after the locks of the agent, the membership, its rows and its sessions. */
async function look(
  tx: Tx,
  input: StartInput,
  { isLocked }: { isLocked: boolean },
): Promise<{ view: AgentActionView<Work>; agent: StartableAgent | undefined; now: Date }> {
  const sessions = new SessionQueries(tx.db);
  await lockTasksOf(tx.db, input.agentId);
  const assigned = await sessions.lockMembership(input.projectId, input.agentId);
  const rows = assigned ? await new WakeUpQueries(tx.db).lockOfMembership(input) : [];
  const open = assigned ? await sessions.lockOpen(input.projectId, input.agentId) : [];
  await requireHolder(tx.db, input);
  const now = await tx.now();
  const agent = await findStartableAgent(tx.db, input, now);
  const isFolderTaken =
    isLocked && agent?.reservesFolder === true && (await isFolderTakenFor(tx.db, input, now));
  const view = {
    assigned: assigned && agent !== undefined,
    projectStatus: agent?.projectStatus ?? 'archived',
    works: await worksOfMembership(tx.db, input, { rows, open, now, isFolderTaken }),
    hasInProgressTask: (agent?.inProgress ?? 0) > 0,
    hasBlockedTask: (agent?.blocked ?? 0) > 0,
    taskSlots: agent?.taskSlots ?? 0,
    isOverLimit: agent?.isOverLimit ?? false,
  };
  return { view, agent, now };
}

/** The reason why it waits has changed: the page shows it, and rows behind it move up. */
async function hold(tx: Tx, row: WakeUpRecord, heldFor: HeldFor | null, now: Date): Promise<void> {
  if (row.startedAt !== null || row.heldFor === heldFor) return;
  if (row.heldFor === 'folder_in_use') await restartConversationsWithout(tx.db, row, now);
  await new WakeUpQueries(tx.db).setHeld({ ...row, heldFor, now });
  await notifyMembership(tx, row);
  await leaveQueue(tx, row);
}

/** The run of a start that was just claimed, and the ticket that it signs in with; null without a credential. */
async function openRun(
  tx: Tx,
  { projectId, agentId, coordinatorId }: StartInput,
  run: { runId: string; agent: StartableAgent; row: WakeUpRecord; now: Date },
): Promise<string | null> {
  const { runId, agent, row, now } = run;
  const { provider, model } = agent;
  await setFollowed(tx.db, row);
  await insertRun(tx.db, {
    ...workKeyOf(row),
    id: runId,
    conversationId: row.conversationId,
    coordinatorId: coordinatorId ?? null,
    provider,
    model,
    reservesFolder: agent.reservesFolder && row.purpose === 'chat',
    startedAt: now,
  });
  if (row.purpose === 'task') await openAttempt(tx.db, { ...row, runId, now });
  const ticket = agent.hasCredential ? newSecret() : null;
  if (ticket !== null)
    await insertTicket(tx.db, { ticketHash: hashToken(ticket), runId, agentId, projectId, createdAt: now });
  await appendChangeEvents(tx, [{ kind: 'run', projectId, ref: { runId, agentId } }]);
  await notifyMembership(tx, { projectId, agentId });
  return ticket;
}

/** Read after the run is stored: from now on the folder of its project does not change. */
async function folderOf(
  tx: Tx,
  { projectId, coordinatorId }: StartInput,
  run: { runId: string; row: WakeUpRecord; provider: ProviderName },
) {
  const { isolation, ...folder } = await findWorkingDirectory(tx.db, projectId);
  const overlap = await folderOverlap(tx.db, folder.workingDirectory, projectId);
  const worktree = needsWorktree(isolation, PROVIDERS[run.provider]);
  const work = { id: run.runId, work: run.row, coordinatorId };
  const madeFor = worktree ? await takeOverWorktree(tx, work) : undefined;
  return {
    ...folder,
    workingDirectoryOverlaps: overlap !== undefined,
    worktree,
    ...(madeFor !== undefined && { worktreeMadeFor: madeFor }),
  };
}
