import { AppError } from '../../platform/errors.ts';
import { hashToken } from '../../platform/token-hash.ts';
import type { AgentCaller } from '../access/agent-caller.ts';
import { chatTransaction } from '../chat/chat-transaction.ts';
import { conversationTimes } from '../conversations/conversation-deadlines.ts';
import { updateConversationsOf } from '../conversations/join-conversation.ts';
import type { ServiceDeps } from '../deps.ts';
import { lookIntoFolders } from '../folders/folder-waits.ts';
import { workKeyOf } from '../rules/work-key.ts';
import { backOffBeforeExit, leavesUnread } from '../runs/left-work.ts';
import { isPerWork } from '../wake-ups/per-work-queries.ts';
import { refuseOverLimit } from '../wake-ups/refuse-over-limit.ts';
import { noteTurnBeat } from './activity-queries.ts';
import { findControls, setControlAcknowledged, setControlOffered } from './control-queries.ts';
import { expireIdleSession } from './expire-idle-session.ts';
import { endAfterOldEnd } from './late-leave.ts';
import { notifyMembership } from './notify-membership.ts';
import { decideNextStep, type NextAction } from './rules/next-action.ts';
import { followsOldEnd } from './rules/old-end.ts';
import { BETWEEN_BEATS_MS, type Control, type ControlOffer, decideControl } from './rules/turn-control.ts';
import { applySessionCommand, endSession } from './session-lifecycle.ts';
import { SessionQueries } from './session-queries.ts';
import {
  type IdentifiedSessionView,
  readSessionsWithNews,
  readSessionViews,
} from './session-view-queries.ts';
import {
  type AuthenticateInput,
  type AuthenticateResult,
  type PasskeyVerifier,
  SignIn,
} from './sign-in-agent.ts';
import { setTicketUsed } from './sign-in-queries.ts';

/** A bearer of a session that ended less than this ago is told how it ended instead of getting an error. */
const ENDED_IS_TOLD_MS = 10 * 60_000;

/** An agent's session as its process sees it: sign in, next action, heartbeat, leave. */
export class SessionService {
  readonly #deps: ServiceDeps;
  readonly #signIn: SignIn;

  constructor(deps: ServiceDeps, auth: PasskeyVerifier) {
    this.#deps = deps;
    this.#signIn = new SignIn(deps, auth);
  }

  /**
   * Signs an agent in by ticket or passkey. Every refusal is a result with one text; throws only on internal
   * errors.
   */
  async authenticate(input: AuthenticateInput): Promise<AuthenticateResult> {
    return this.#signIn.authenticate(input);
  }

  /**
   * The session of this bearer. The first call after authenticate makes the ticket invalid for another
   * sign-in.
   * @throws AppError unauthenticated: unknown, or its session ended more than ten minutes ago.
   */
  async resolve(bearer: string): Promise<AgentCaller> {
    const hash = hashToken(bearer);
    const session = await new SessionQueries(this.#deps.database.db).findByBearer(hash);
    if (!session) throw unknownSession();
    const live = session.state !== 'ended' && session.revokedAt === null;
    if (session.state === 'ended') {
      const endedAt = session.endedAt?.getTime() ?? 0;
      if (this.#deps.clock.now().getTime() - endedAt > ENDED_IS_TOLD_MS) throw unknownSession();
    }
    if (session.ticketUnused) await setTicketUsed(this.#deps.database.db, hash);
    return {
      sessionId: session.id,
      ...workKeyOf(session),
      live,
      sharesFolder: session.sharesFolder,
      usesMemory: session.runId === null || session.provider !== 'builtin',
    };
  }

  /** The agent leaves; the messages that it held are returned. Idempotent. */
  async logout(caller: AgentCaller): Promise<{ success: true }> {
    await chatTransaction(this.#deps, async (tx) => {
      const sessions = new SessionQueries(tx.db);
      await sessions.lockMembership(caller.projectId, caller.agentId);
      const session = await sessions.lockById(caller.sessionId);
      if (!session || session.state === 'ended') return;
      const now = await tx.now();
      // A session that was told to go does not leave by itself.
      if (followsOldEnd(session, now)) return endAfterOldEnd(tx, this.#deps, session, now);
      const isUnread = await leavesUnread(tx, session);
      await endSession(tx, session, session.state === 'active' ? 'left' : 'ended', now);
      if (isUnread) await backOffBeforeExit(tx, session, now);
    });
    return { success: true };
  }

  /**
   * The next action of each of these sessions: one read for all, the rule for each. A session that became
   * idle begins to end here, so the result of a read does not depend on when the sweeper runs. A held call
   * that is not woken reads nothing: its session is ended by the sweeper of any process, whose hint wakes the
   * call. Unknown ids are absent.
   */
  async nextActions(sessionIds: readonly string[]): Promise<Map<string, NextAction>> {
    const timeoutMs = (await this.#deps.settings.current()).sessionIdleTimeoutSeconds * 1_000;
    const now = this.#deps.clock.now();
    const actions = new Map<string, NextAction>();
    for (const session of await this.#read(sessionIds, now))
      actions.set(session.id, await this.#take(session, now, timeoutMs));
    return actions;
  }

  /**
   * Those of these sessions that may have a next action other than wait. For the slow poll of held calls: it
   * checks every one of them every few seconds, and must not build the answer "nothing" each time.
   */
  async withNews(sessionIds: readonly string[]): Promise<string[]> {
    const times = await conversationTimes(this.#deps);
    return readSessionsWithNews(this.#deps.database, sessionIds, { ...times, now: this.#deps.clock.now() });
  }

  /** Whether the process of this chat session was started for what waits, and ends when nothing does. */
  async isPerWork({ purpose, agentId }: AgentCaller): Promise<boolean> {
    return purpose === 'chat' && (await isPerWork(this.#deps.database.db, agentId));
  }

  /**
   * Records that the end is about to be offered; `repeat` when an earlier offer was not acknowledged. Null: it was taken
   * back, the session goes on.
   */
  async offerEnd(sessionId: string): Promise<{ repeat: boolean } | null> {
    return this.#deps.database.transaction(async (tx) => {
      const sessions = new SessionQueries(tx.db);
      const session = await sessions.lockById(sessionId);
      if (session?.state === 'active') return null;
      // A session that ended at once (replaced, its run ended) is told its end for ten minutes: the first
      // time without the mark.
      if (!session) return { repeat: false };
      // An earlier end may have been offered, and taken back.
      const repeat =
        session.offeredAt !== null && session.offeredAt >= (session.terminatingAt ?? session.createdAt);
      if (!repeat) await sessions.setOffered(sessionId, await tx.now());
      return { repeat };
    });
  }

  /** The response that offered the end was written to a live connection. Idempotent. */
  async acknowledged(sessionIds: readonly string[]): Promise<void> {
    for (const id of sessionIds) {
      const found = await new SessionQueries(this.#deps.database.db).findById(id);
      if (found?.state !== 'terminating') continue;
      await chatTransaction(this.#deps, async (tx) => {
        const sessions = new SessionQueries(tx.db);
        await sessions.lockMembership(found.projectId, found.agentId);
        const session = await sessions.lockById(id);
        if (session && session.acknowledgedAt === null)
          await applySessionCommand(tx, session, { type: 'acknowledged' }, await tx.now());
      });
    }
  }

  /** These sessions have called; the transport collects them for some seconds. */
  async touch(sessionIds: readonly string[]): Promise<void> {
    if (sessionIds.length > 0)
      await new SessionQueries(this.#deps.database.db).touch(sessionIds, this.#deps.clock.now());
  }

  /** A heartbeat of a runner during a turn, which lasts as long as the call is held. */
  async beat(caller: AgentCaller, input: { phase: string; holdSeconds?: number }): Promise<void> {
    const holdMs = (input.holdSeconds ?? 0) * 1_000;
    const until = new Date(this.#deps.clock.now().getTime() + holdMs + BETWEEN_BEATS_MS);
    const { phase } = input;
    const isNew = await noteTurnBeat(this.#deps.database.db, caller.sessionId, { phase, until });
    if (isNew) await this.#deps.database.transaction((tx) => notifyMembership(tx, caller));
  }

  /** The controls for the running turns of these sessions: one read for all. */
  async controls(sessionIds: readonly string[]): Promise<Map<string, ControlOffer | null>> {
    const rows = await findControls(this.#deps.database.db, sessionIds);
    return new Map(rows.map(({ id, ...view }) => [id, decideControl(view)]));
  }

  /** Records that this is about to be offered. */
  async offerControl(sessionId: string, control: Control): Promise<void> {
    await setControlOffered(this.#deps.database.db, sessionId, control);
  }

  /** The response that offered it was written to a live connection. */
  async controlAcknowledged(sessionId: string, control: Control): Promise<void> {
    await setControlAcknowledged(this.#deps.database.db, sessionId, control);
  }

  async #read(sessionIds: readonly string[], now: Date): Promise<IdentifiedSessionView[]> {
    const times = await conversationTimes(this.#deps);
    const views = await readSessionViews(this.#deps.database, sessionIds, { ...times, now });
    return lookIntoFolders(this.#deps, views, now);
  }

  /**
   * Does the transition that the rule requires, then returns its result. `settled`: what earlier transitions of this
   * call have settled; what becomes due meanwhile is done at the next call.
   */
  async #take(
    session: IdentifiedSessionView,
    now: Date,
    timeoutMs: number,
    settled: Partial<IdentifiedSessionView> = {},
  ): Promise<NextAction> {
    const step = decideNextStep({ ...session, ...settled }, now, timeoutMs);
    switch (step.kind) {
      case 'idle':
        return this.#expireIdle(session.id, timeoutMs);
      case 'conversations':
        await updateConversationsOf(this.#deps, session.id);
        return this.#takeAgain(session.id, timeoutMs, { ...settled, conversationDue: false });
      case 'over_limit':
        await this.#refuseOverLimit(session.id);
        return this.#takeAgain(session.id, timeoutMs, { ...settled, tokenLimit: 'refused' });
      default:
        return step;
    }
  }

  async #takeAgain(
    sessionId: string,
    timeoutMs: number,
    settled: Partial<IdentifiedSessionView>,
  ): Promise<NextAction> {
    const now = this.#deps.clock.now();
    const [session] = await this.#read([sessionId], now);
    if (!session) return { kind: 'logout', reason: 'session_timeout' };
    return this.#take(session, now, timeoutMs, settled);
  }

  async #refuseOverLimit(sessionId: string): Promise<void> {
    const session = await new SessionQueries(this.#deps.database.db).findById(sessionId);
    if (session) await refuseOverLimit(this.#deps, session);
  }

  async #expireIdle(sessionId: string, timeoutMs: number): Promise<NextAction> {
    await expireIdleSession(this.#deps, sessionId, timeoutMs);
    const now = this.#deps.clock.now();
    const [session] = await this.#read([sessionId], now);
    if (!session) return { kind: 'logout', reason: 'session_timeout' };
    const step = decideNextStep(session, now, Number.POSITIVE_INFINITY);
    return step.kind === 'idle' || step.kind === 'conversations' || step.kind === 'over_limit'
      ? { kind: 'wait' }
      : step;
  }
}

export type { AuthenticateInput, AuthenticateResult, NextAction };

function unknownSession(): AppError {
  return new AppError('unauthenticated', 'No session has this token. Call authenticate first.');
}
