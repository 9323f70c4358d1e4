import type { EndChatResult, Message, StartChatResult } from '../../contract/chat.ts';
import { appendChangeEvents } from '../../platform/change-log/change-log.ts';
import { keys } from '../../platform/change-log/keys.ts';
import { AppError } from '../../platform/errors.ts';
import { type Person, requireMember, requireWriter } from '../access/person.ts';
import { cancelCardsOfChat } from '../cards/card-ends.ts';
import { partFromConversations } from '../conversations/conversation-sides.ts';
import { isCoordinatorAlive } from '../coordinators/coordinator-alive.ts';
import type { ServiceDeps } from '../deps.ts';
import { chatOf, type MembershipKey } from '../rules/work-key.ts';
import { requestRunStop } from '../runs/run-stop.ts';
import { requestInterrupt } from '../sessions/activity-queries.ts';
import { applySessionCommand, chatThatTakesWork, terminateSessions } from '../sessions/session-lifecycle.ts';
import { SessionQueries } from '../sessions/session-queries.ts';
import type { SessionRecord } from '../sessions/session-record.ts';
import { isPerWork } from '../wake-ups/per-work-queries.ts';
import { leaveQueue } from '../wake-ups/start-queue.ts';
import { wake, wakeIfWaiting } from '../wake-ups/wake.ts';
import { WakeUpQueries } from '../wake-ups/wake-up-queries.ts';
import { lockChatTarget, requireChatTarget } from './chat-target.ts';
import { firstTwoAgents, setContextSince } from './chat-target-queries.ts';
import { type ChatTx, chatTransaction, storeSystemMessage } from './chat-transaction.ts';
import { failWaiting } from './delivery/redeliver-messages.ts';
import { MessagePosting, type PostMessageInput } from './post-message.ts';
import { decideChatOpening } from './rules/chat-opening.ts';
import { lockMessage, restoreFailedMessage } from './thread-queries.ts';
import { ViewerQueries } from './viewer-queries.ts';

/** A leave beacon takes effect only after this time: a reload opens the chat again before. */
const UNLOAD_GRACE_MS = 10_000;

/** The actions of people in a chat: open, write, close, stop. */
export class ChatService {
  readonly #deps: ServiceDeps;
  readonly #posting: MessagePosting;

  constructor(deps: ServiceDeps) {
    this.#deps = deps;
    this.#posting = new MessagePosting(deps);
  }

  /**
   * Opens the chat: the agent is woken unless it is awake. Idempotent. An agent that is started for each work is woken
   * by the first message; until then there is nothing to wait for, and the result is `already_active`.
   */
  async start(
    person: Person,
    input: MembershipKey & { viewerId?: string | undefined },
  ): Promise<StartChatResult> {
    const target = await requireChatTarget(this.#deps.database.db, person, input, 'writes');
    const { viewerLeaseSeconds } = await this.#deps.settings.current();
    const opened = await chatTransaction(this.#deps, async (tx) => {
      const sessions = await this.#lockSessions(tx, input);
      const now = await tx.now();
      if (input.viewerId !== undefined) {
        const leaseUntil = new Date(now.getTime() + viewerLeaseSeconds * 1_000);
        await new ViewerQueries(tx.db).renew({
          ...input,
          viewerId: input.viewerId,
          humanId: person.id,
          leaseUntil,
        });
      }
      return this.#wakeOrJoin(tx, input, sessions, person, now);
    });
    if (opened === 'joined') return { status: 'already_active' };
    const status = opened === 'waits' ? 'already_active' : opened;
    const warning = await this.#startWarning(target.hasCredential);
    return warning === undefined ? { status } : { status, warning };
  }

  /** The same with the only AI agent of the project when none is named. */
  async startDefault(
    person: Person,
    input: { projectId: string; agentId?: string | undefined; viewerId?: string | undefined },
  ): Promise<StartChatResult> {
    if (input.agentId !== undefined) return this.start(person, { ...input, agentId: input.agentId });
    await requireMember(this.#deps.database.db, person, input.projectId);
    requireWriter(person);
    const agents = await firstTwoAgents(this.#deps.database.db, input.projectId);
    const [only, second] = agents;
    if (!only || second)
      throw new AppError(
        'no_default_agent',
        'The project has not exactly one AI agent: name one by agentId.',
      );
    return this.start(person, { ...input, agentId: only.id });
  }

  /** Stores a message of a person; a repeated clientMessageId returns the first message. */
  async post(person: Person, input: PostMessageInput): Promise<{ message: Message; created: boolean }> {
    return this.#posting.post(person, input);
  }

  /**
   * Removes one viewer, or all of the caller's. The session ends only when it has no viewer and nothing is
   * waiting, being answered or asked; otherwise the close takes effect when the last of them is done. `force`
   * ends it at once.
   */
  async end(
    person: Person,
    input: MembershipKey & {
      viewerId?: string | undefined;
      cause?: 'closed' | 'unload' | undefined;
      force?: boolean | undefined;
    },
  ): Promise<EndChatResult> {
    await requireChatTarget(this.#deps.database.db, person, input, 'closes');
    return chatTransaction(this.#deps, async (tx) => {
      const sessions = await this.#lockSessions(tx, input, { writes: false });
      const now = await tx.now();
      const viewers = new ViewerQueries(tx.db);
      const leaving = { ...input, humanId: person.id };
      if (input.cause === 'unload') {
        await viewers.leaveLater(leaving, new Date(now.getTime() + UNLOAD_GRACE_MS));
        tx.dirty(keys.deadline);
      } else await viewers.leave(leaving);
      const viewersLeft = await viewers.count(input, now);
      const ended = input.force
        ? await this.#forceEnd(tx, input, sessions, now)
        : await this.#close(tx, sessions, viewersLeft, now);
      return { ended, viewersLeft };
    });
  }

  /** Gives a failed message back to the agent. */
  async retry(person: Person, input: MembershipKey & { messageId: string }): Promise<void> {
    await requireChatTarget(this.#deps.database.db, person, input, 'writes');
    await chatTransaction(this.#deps, async (tx) => {
      const sessions = await this.#lockSessions(tx, input);
      const now = await tx.now();
      const message = await lockMessage(tx.db, input);
      if (!message) throw new AppError('message_not_found', 'There is no such message in this chat.');
      if (message.state !== 'failed' || message.sender !== 'user')
        throw new AppError('message_not_failed', 'Only a failed message can be sent again.');
      await restoreFailedMessage(tx.db, input.messageId);
      await appendChangeEvents(tx, [
        { kind: 'message', projectId: input.projectId, ref: { messageId: input.messageId } },
      ]);
      tx.dirty(keys.membership(input.projectId, input.agentId));
      if (!(await chatThatTakesWork(tx, sessions, now)))
        await wakeIfWaiting(tx, input, { openedBy: person.id, now });
    });
  }

  /**
   * Ends the running answer, keeps the text written so far, and cancels the open cards; does nothing when
   * no answer is running.
   */
  async interrupt(person: Person, input: MembershipKey): Promise<void> {
    await requireChatTarget(this.#deps.database.db, person, input, 'writes');
    await this.#deps.database.transaction(async (tx) => {
      await lockChatTarget(tx, input, { writes: true });
      const isInterrupted = await requestInterrupt(tx.db, input);
      await cancelCardsOfChat(tx, input, await tx.now());
      if (isInterrupted) tx.dirty(keys.membership(input.projectId, input.agentId));
    });
  }

  /** A fresh context: the session ends, waiting messages are given to the next one, the history stays. */
  async newContext(person: Person, input: MembershipKey): Promise<void> {
    await requireChatTarget(this.#deps.database.db, person, input, 'writes');
    await chatTransaction(this.#deps, async (tx) => {
      const sessions = await this.#lockSessions(tx, input);
      const now = await tx.now();
      const chats = sessions.filter((session) => session.purpose === 'chat');
      await terminateSessions(tx, chats, 'new_context', now);
      await setContextSince(tx.db, input, now);
      const opened = { openedBy: person.id, now };
      if (await isPerWork(tx.db, input.agentId)) await wakeIfWaiting(tx, input, opened);
      else await wake(tx, chatOf(input), opened);
    });
  }

  async #lockSessions(
    tx: ChatTx,
    membership: MembershipKey,
    options = { writes: true },
  ): Promise<SessionRecord[]> {
    await lockChatTarget(tx, membership, options);
    return new SessionQueries(tx.db).lockOpen(membership.projectId, membership.agentId);
  }

  async #wakeOrJoin(
    tx: ChatTx,
    membership: MembershipKey,
    sessions: readonly SessionRecord[],
    person: Person,
    now: Date,
  ): Promise<'joined' | 'waits' | 'started' | 'pending'> {
    const live = await chatThatTakesWork(tx, sessions, now);
    if (live) {
      if (live.closeRequestedAt !== null) await new SessionQueries(tx.db).setCloseRequested(live.id, null);
      if (live.openedBy === null) await new SessionQueries(tx.db).setOpenedBy(live.id, person.id);
      return 'joined';
    }
    if (await this.#waitsForMessage(tx, membership)) return 'waits';
    if (!(await wake(tx, chatOf(membership), { openedBy: person.id, now }))) return 'pending';
    await storeSystemMessage(tx, this.#deps, { ...membership, code: 'session_started', visible: false });
    return 'started';
  }

  async #waitsForMessage(tx: ChatTx, membership: MembershipKey): Promise<boolean> {
    if (!(await isPerWork(tx.db, membership.agentId))) return false;
    const wakeUps = new WakeUpQueries(tx.db);
    const hasWakeUp = (await wakeUps.lock(chatOf(membership))) !== null;
    const isNeeded = await wakeUps.isChatNeeded(membership, { resumes: false });
    return decideChatOpening({ isPerWork: true, hasWakeUp, isNeeded }) === 'wait';
  }

  async #startWarning(hasCredential: boolean): Promise<StartChatResult['warning']> {
    if (!hasCredential) return 'no_credential';
    const alive = await isCoordinatorAlive(this.#deps.database.db, this.#deps.clock.now());
    return alive ? undefined : 'no_coordinator';
  }

  async #close(tx: ChatTx, open: readonly SessionRecord[], viewersLeft: number, now: Date): Promise<number> {
    let ended = 0;
    for (const session of open) {
      if (session.purpose !== 'chat') continue;
      const work = await new SessionQueries(tx.db).work(session.id);
      const change = await applySessionCommand(tx, session, { type: 'close', viewersLeft, work }, now);
      if (change?.to === 'terminating') ended += 1;
    }
    return ended;
  }

  /**
   * A person ended it: waiting messages fail with Retry, the wake-up is deleted, nothing starts by itself.
   */
  async #forceEnd(
    tx: ChatTx,
    membership: MembershipKey,
    open: readonly SessionRecord[],
    now: Date,
  ): Promise<number> {
    const chats = open.filter((session) => session.purpose === 'chat');
    await failWaiting(tx, membership, 'stopped_by_person', {}, now);
    await partFromConversations(tx, membership, { now, of: { purpose: 'chat', sessions: chats } });
    const wakeUps = new WakeUpQueries(tx.db);
    const row = await wakeUps.lock(chatOf(membership));
    if (row) {
      await wakeUps.remove({ ...row, outcome: 'expired', now });
      await leaveQueue(tx, row);
      if (row.runId !== null) await requestRunStop(tx, row.runId, 'stopped_by_person', now);
    }
    return terminateSessions(tx, chats, 'force_ended', now);
  }
}
