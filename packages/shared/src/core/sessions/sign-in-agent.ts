import { appendChangeEvents } from '../../platform/change-log/change-log.ts';
import { keys } from '../../platform/change-log/keys.ts';
import type { Tx } from '../../platform/db/database.ts';
import { isUniqueViolation } from '../../platform/db/database.ts';
import { newId, newSecret } from '../../platform/ids.ts';
import { hashToken } from '../../platform/token-hash.ts';
import { adoptDecisions } from '../approvals/approval-lifecycle.ts';
import type { PermissionPolicy } from '../approvals/rules/permission-policy.ts';
import { adoptDecided } from '../cards/card-kind.ts';
import { setChainOfCard } from '../conversations/chain-queries.ts';
import { joinConversations } from '../conversations/conversation-sides.ts';
import type { ServiceDeps } from '../deps.ts';
import { setSharesFolder } from '../folders/folder-wait-queries.ts';
import { QUESTION_CARDS } from '../questions/question-lifecycle.ts';
import { chatOf, isSameWork, type Purpose, type WorkKey, workKeyOf } from '../rules/work-key.ts';
import { revokeTickets } from '../runs/run-exit-queries.ts';
import { requestRunStop } from '../runs/run-stop.ts';
import { openAttempt } from '../task-work/attempt-queries.ts';
import { findWork, takeChainOfTask } from '../task-work/work-queries.ts';
import { isExpired } from '../wake-ups/rules/wake-up-machine.ts';
import { lockTasksOf } from '../wake-ups/start-queries.ts';
import { leaveQueue } from '../wake-ups/start-queue.ts';
import { expireWakeUp } from '../wake-ups/wake-up-expiry.ts';
import { WakeUpQueries } from '../wake-ups/wake-up-queries.ts';
import { rowsForSignIn } from '../wake-ups/works-of-membership.ts';
import { notifyMembership } from './notify-membership.ts';
import { isLive } from './rules/session-machine.ts';
import { decideSignInTask } from './rules/sign-in-work.ts';
import { endSession } from './session-lifecycle.ts';
import { SessionQueries } from './session-queries.ts';
import type { SessionRecord } from './session-record.ts';
import {
  bindTicket,
  findLiveAgent,
  findWorkOfTicket,
  lockTicket,
  type SigningInAgent,
  setRunning,
  setSignInRefused,
} from './sign-in-queries.ts';

export interface AuthenticateInput {
  /** The launch ticket, when the caller came with a bearer. */
  readonly bearer?: string | undefined;
  readonly agentId?: string | undefined;
  readonly passkey?: string | undefined;
  readonly projectId?: string | undefined;
  readonly purpose?: Purpose | undefined;
  readonly replace?: boolean | undefined;
  /** The source of the call: failures are counted by account and address. */
  readonly address: string;
  /** Aborts when the client leaves. */
  readonly signal?: AbortSignal | undefined;
}

export type AuthenticateResult =
  | {
      readonly success: true;
      readonly sessionId: string;
      /** Absent for a ticket: the ticket stays the bearer of the session. */
      readonly sessionToken?: string;
      readonly purpose: Purpose;
      readonly agentName: string;
      readonly systemPrompt?: string;
      readonly permissionPolicy: PermissionPolicy;
      /** When the context of the chat began. Absent for a task. */
      readonly contextSince?: string;
    }
  | { readonly success: false; readonly error: string; readonly code?: 'session_exists' };

interface NewSession {
  readonly runId: string | null;
  readonly tokenHash: string | null;
  readonly openedBy: string | null;
  /** Its run reads and writes files. Of a program that no Coordinator started it is not known where it works. */
  readonly worksInFolder: boolean;
  readonly now: Date;
}

/** One text for every refusal, so that it does not show which part was wrong. */
export const SIGN_IN_REFUSED = {
  success: false,
  error: 'Sign-in refused: the agent, its passkey or its project is not right. Stop here and tell a person.',
} as const;
const OVER = {
  success: false,
  error: 'This start is over: another sign-in or its time limit came first.',
} as const;
const EXISTS = {
  success: false,
  code: 'session_exists',
  error:
    'This agent has a live session in this project already. End this process; only if it is to take the place of the other one, authenticate again with replace: true.',
} as const;

/** Checks the passkey of a live AI agent; implemented by a feature above this one (auth). */
export interface PasskeyVerifier {
  /** The id of the agent; undefined for every failure, after the same time. @throws AppError rate_limited. */
  verifyAgentPasskey(
    agentId: string,
    passkey: string,
    from: { readonly address: string; readonly signal?: AbortSignal | undefined },
  ): Promise<string | undefined>;
}

/** How the process of an agent becomes a session: by the ticket of its run, or by passkey. */
export class SignIn {
  readonly #deps: ServiceDeps;
  readonly #auth: PasskeyVerifier;

  constructor(deps: ServiceDeps, auth: PasskeyVerifier) {
    this.#deps = deps;
    this.#auth = auth;
  }

  async authenticate(input: AuthenticateInput): Promise<AuthenticateResult> {
    // No agent can have this id, and the database does not accept it as a parameter.
    if (input.agentId?.includes('\0') || input.projectId?.includes('\0')) return SIGN_IN_REFUSED;
    try {
      if (input.passkey !== undefined && (await this.#isTicket(input.passkey, input)))
        return await this.#byTicketAsPasskey(input.passkey);
      // A program that has a ticket may name itself as well: it finds both in its environment.
      const { bearer } = input;
      if (input.passkey === undefined && bearer !== undefined && (await this.#isTicket(bearer, input)))
        return await this.#byTicket(bearer);
      if (input.passkey !== undefined || input.agentId !== undefined) return await this.#byPasskey(input);
      if (bearer !== undefined) return await this.#byTicket(bearer);
      return SIGN_IN_REFUSED;
    } catch (error) {
      // Two sign-ins for the same work at the same time: the index accepted one.
      if (isUniqueViolation(error, 'agent_sessions_live_key')) return EXISTS;
      throw error;
    }
  }

  /**
   * A program of provider `command` finds its ticket in AIZUCHI_PASSKEY and passes it where the seed has a
   * passkey. False as well for the ticket of another agent or project than the caller names.
   */
  async #isTicket(secret: string, claim: Pick<AuthenticateInput, 'agentId' | 'projectId'>): Promise<boolean> {
    const ticket = await findWorkOfTicket(this.#deps.database.db, hashToken(secret));
    if (!ticket) return false;
    const { agentId = ticket.agentId, projectId = ticket.projectId } = claim;
    return agentId === ticket.agentId && projectId === ticket.projectId;
  }

  /** The ticket came as an argument, so it is the bearer too. */
  async #byTicketAsPasskey(ticket: string): Promise<AuthenticateResult> {
    const result = await this.#byTicket(ticket);
    return result.success ? { ...result, sessionToken: ticket } : result;
  }

  /**
   * The first sign-in binds the ticket; a repeated one before the first other call gives the same session; a
   * later one gives none.
   */
  async #byTicket(ticket: string): Promise<AuthenticateResult> {
    const result = await this.#bindTicket(ticket);
    if ('success' in result) return result;
    // The sweeper has not come yet: the wake-up expires now, and the late process leaves.
    await expireWakeUp(this.#deps, result.expired);
    return OVER;
  }

  async #bindTicket(ticket: string): Promise<AuthenticateResult | { expired: WorkKey }> {
    const hash = hashToken(ticket);
    const found = await findWorkOfTicket(this.#deps.database.db, hash);
    if (!found) return SIGN_IN_REFUSED;
    const ttlMs = (await this.#deps.settings.current()).pendingPurposeTtlSeconds * 1_000;
    return this.#deps.database.transaction(async (tx) => {
      const sessions = new SessionQueries(tx.db);
      if (!(await sessions.lockMembership(found.projectId, found.agentId))) return OVER;
      const row = await lockTicket(tx.db, hash);
      const agent = await findLiveAgent(tx.db, found);
      if (
        !row ||
        !agent ||
        row.revokedAt !== null ||
        row.runState === 'exited' ||
        row.stopRequestedAt !== null
      )
        return OVER;
      if (row.sessionId !== null) {
        if (row.usedAt !== null) return OVER;
        return this.#result(agent, found.purpose, row.sessionId);
      }
      const wakeUps = new WakeUpQueries(tx.db);
      const wakeUp = await wakeUps.lock(found);
      // Expired, or taken by another sign-in: a late process is given exit.
      if (!wakeUp || wakeUp.runId !== row.runId) return OVER;
      const open = await sessions.lockOpen(found.projectId, found.agentId);
      if (open.some((one) => isSameWork(one, found) && isLive(one))) return OVER;
      const now = await tx.now();
      if (isExpired(wakeUp, now, ttlMs)) return { expired: found };
      const sessionId = await this.#open(tx, found, {
        runId: row.runId,
        tokenHash: null,
        openedBy: wakeUp.openedBy,
        worksInFolder: row.worksInFolder,
        now,
      });
      await bindTicket(tx.db, hash, sessionId);
      await setRunning(tx.db, row.runId);
      await wakeUps.remove({ ...found, outcome: 'authenticated', now });
      await appendChangeEvents(tx, [
        { kind: 'run', projectId: found.projectId, ref: { runId: row.runId, agentId: found.agentId } },
      ]);
      return this.#result(agent, found.purpose, sessionId);
    });
  }

  async #byPasskey(input: AuthenticateInput): Promise<AuthenticateResult> {
    const { agentId = '', passkey = '', projectId = '', purpose } = input;
    // Slow on purpose, and outside any transaction.
    const verified = await this.#auth.verifyAgentPasskey(agentId, passkey, input);
    const result =
      verified === undefined
        ? SIGN_IN_REFUSED
        : await this.#signInByPasskey({ ...input, agentId, projectId });
    if (!result.success && result !== EXISTS) await this.#noteRefusal({ agentId, projectId, purpose });
    return result;
  }

  async #signInByPasskey(
    input: AuthenticateInput & { agentId: string; projectId: string },
  ): Promise<AuthenticateResult> {
    return this.#deps.database.transaction(async (tx) => {
      const membership = { projectId: input.projectId, agentId: input.agentId };
      const sessions = new SessionQueries(tx.db);
      await lockTasksOf(tx.db, membership.agentId);
      if (!(await sessions.lockMembership(membership.projectId, membership.agentId))) return SIGN_IN_REFUSED;
      const agent = await findLiveAgent(tx.db, membership);
      if (!agent) return SIGN_IN_REFUSED;
      const wakeUps = new WakeUpQueries(tx.db);
      const rows = await wakeUps.lockOfMembership(membership);
      const open = await sessions.lockOpen(membership.projectId, membership.agentId);
      const now = await tx.now();
      const liveOfMembership = await stillAtWork(tx, open.filter(isLive));
      const waiting = await rowsForSignIn(tx.db, membership, { rows, open, now });
      const key = keyOfSignIn(input, waiting, liveOfMembership);
      const live = liveOfMembership.filter((one) => isSameWork(one, key));
      if (live.length > 0 && !input.replace) return EXISTS;
      const row = rows.find((one) => isSameWork(one, key)) ?? null;
      for (const session of live) await this.#replace(tx, session, now);
      // A sign-in by passkey takes the waiting row; a run that was started for it is stopped.
      if (row?.runId) await this.#supersede(tx, row.runId, now);
      const token = newSecret();
      const openedBy = row?.openedBy ?? null;
      const sessionId = await this.#open(tx, key, {
        runId: null,
        tokenHash: hashToken(token),
        openedBy,
        worksInFolder: false,
        now,
      });
      await wakeUps.remove({ ...key, outcome: 'authenticated', now });
      if (row) await leaveQueue(tx, row);
      return this.#result(agent, key.purpose, sessionId, token);
    });
  }

  /**
   * The old session is over at once; its bearer is given `exit {replaced}` for ten minutes, its process is
   * ended.
   */
  async #replace(tx: Tx, session: SessionRecord, now: Date): Promise<void> {
    const sessions = new SessionQueries(tx.db);
    await sessions.setTerminating(session.id, { action: 'exit', reason: 'replaced' }, now);
    await endSession(tx, session, 'ended', now);
    if (session.runId !== null) await requestRunStop(tx, session.runId, 'replaced', now);
  }

  async #supersede(tx: Tx, runId: string, now: Date): Promise<void> {
    await revokeTickets(tx.db, runId, now);
    await requestRunStop(tx, runId, 'superseded', now);
  }

  async #open(tx: Tx, key: WorkKey, { worksInFolder, ...input }: NewSession): Promise<string> {
    const id = newId('ses');
    await new SessionQueries(tx.db).insert({ id, ...workKeyOf(key), ...input });
    if (worksInFolder) await setSharesFolder(tx.db, id);
    const isOpened = input.openedBy !== null;
    const adopted = { sessionId: id, now: input.now };
    if (isOpened && (await adoptDecided(tx, QUESTION_CARDS, key, adopted))) await setChainOfCard(tx.db, id);
    await adoptDecisions(tx, key, { ...adopted, isOpened });
    if (key.purpose === 'task') {
      await takeChainOfTask(tx.db, id);
      // A run has its attempt since its start.
      if (input.runId === null) await openAttempt(tx.db, { ...key, runId: null, now: input.now });
    }
    // Conversations that wait for the agent belong to its chat.
    else await joinConversations(tx, { ...key, id }, input.now);
    await notifyMembership(tx, key);
    return id;
  }

  /**
   * A started row of the membership: the page shows "sign-in failed" at once, the row stays until its TTL
   * (UC010).
   */
  async #noteRefusal(sign: {
    agentId: string;
    projectId: string;
    purpose: Purpose | undefined;
  }): Promise<void> {
    const { agentId, projectId } = sign;
    await this.#deps.database.transaction(async (tx) => {
      if (!(await setSignInRefused(tx.db, sign, await tx.now()))) return;
      await appendChangeEvents(tx, [{ kind: 'session', projectId, ref: { agentId } }]);
      tx.dirty(keys.membership(projectId, agentId));
    });
  }

  #result(agent: SigningInAgent, purpose: Purpose, sessionId: string, token?: string): AuthenticateResult {
    return {
      success: true,
      sessionId,
      ...(token !== undefined && { sessionToken: token }),
      purpose,
      agentName: agent.name,
      ...(agent.systemPrompt !== null && { systemPrompt: agent.systemPrompt }),
      permissionPolicy: agent.permissionPolicy,
      ...(purpose === 'chat' && { contextSince: agent.chatContextSince.toISOString() }),
    };
  }
}

/** Without those that were told to leave a task which is not their work any more: they take nobody's place. */
async function stillAtWork(tx: Tx, live: readonly SessionRecord[]): Promise<SessionRecord[]> {
  const kept: SessionRecord[] = [];
  for (const session of live)
    if (session.purpose === 'chat' || session.state === 'active' || (await findWork(tx.db, session)))
      kept.push(session);
  return kept;
}

function keyOfSignIn(
  input: { agentId: string; projectId: string; purpose?: Purpose | undefined },
  rows: readonly WorkKey[],
  live: readonly WorkKey[],
): WorkKey {
  const taskId = decideSignInTask(input.purpose, { rows, live });
  return taskId === '' ? chatOf(input) : { ...chatOf(input), purpose: 'task', taskId };
}
