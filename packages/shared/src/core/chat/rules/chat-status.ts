import type { SessionState } from '../../sessions/rules/session-machine.ts';
import type { HeldFor } from '../../wake-ups/rules/wake-up-machine.ts';

/** The task whose work has to end first. */
export interface AwaitedTask {
  readonly id: string;
  readonly title: string;
}

export interface ChatStatusView {
  readonly session: {
    readonly state: SessionState;
    readonly held: boolean;
    readonly unread: boolean;
    readonly asksPerson: boolean;
    readonly createdAt: Date;
    readonly terminatingAt: Date | null;
    readonly lastActivityAt: Date;
    /** Since when it holds the oldest message that it has not answered. */
    readonly heldSince: Date | null;
    /** Since when people see the oldest of its open cards. */
    readonly asksSince: Date | null;
    readonly phase: string | null;
    /** The agent for which its waiting messages wait: it works in the folder of the project. */
    readonly waitsFor: string | null;
    readonly waitsForTask: AwaitedTask | null;
  } | null;
  readonly row: {
    readonly createdAt: Date;
    readonly startedAt: Date | null;
    readonly notBefore: Date | null;
    readonly heldFor: HeldFor | null;
    /** The position in the queue, from 1. */
    readonly position: number | null;
    readonly hasError: boolean;
    readonly signInRefused: boolean;
    readonly processStarted: boolean;
    /** How far the image is pulled that its run waits for; null: it waits for none. */
    readonly pullPercent: number | null;
    /** The same for what is to be started. */
    readonly waitsFor: string | null;
    readonly waitsForTask: AwaitedTask | null;
  } | null;
  /** The newest visible line of the chat, when it is a system line. */
  readonly failure: { readonly code: string; readonly at: Date } | null;
  /** The agent is started only when there is work: an open chat does not start it. */
  readonly isPerWork: boolean;
  readonly coordinatorAlive: boolean;
}

export interface ChatStatusResult {
  readonly chatStatus:
    | 'none'
    | 'queued'
    | 'starting'
    | 'ready'
    | 'busy'
    | 'waiting_for_person'
    | 'ending'
    | 'failed';
  readonly phase?: string;
  readonly reason?: string;
  readonly position?: number;
  /** With the phase `pulling`. */
  readonly pullPercent?: number;
  /** With the reason `folder_in_use`: the agent that works in the folder of the project. */
  readonly waitsForAgentId?: string;
  /** The task that it works on there. */
  readonly waitsForTask?: AwaitedTask;
  readonly since: Date | null;
}

/** The reason of an agent that does not run and that an open chat does not start. */
export const STARTS_WITH_MESSAGE = 'starts_with_message';

/** The reason of an agent that waits until another one has done its work in the folder of the project. */
const FOLDER_IN_USE = 'folder_in_use';

/** The status that a person sees on the ring of an agent; every result says since when. */
export function decideChatStatus(view: ChatStatusView): ChatStatusResult {
  if (view.session !== null && view.session.state === 'active') return activeStatus(view.session);
  if (view.row !== null) return rowStatus(view.row, view.coordinatorAlive, view.session !== null);
  if (view.session !== null && view.session.state === 'terminating')
    return { chatStatus: 'ending', since: view.session.terminatingAt };
  if (view.failure !== null)
    return { chatStatus: 'failed', reason: view.failure.code, since: view.failure.at };
  return { chatStatus: 'none', ...(view.isPerWork && { reason: STARTS_WITH_MESSAGE }), since: null };
}

function activeStatus(session: NonNullable<ChatStatusView['session']>): ChatStatusResult {
  const phase = session.phase === null ? {} : { phase: session.phase };
  if (session.asksPerson)
    return {
      chatStatus: 'waiting_for_person',
      ...phase,
      since: session.asksSince ?? session.lastActivityAt,
    };
  // Not since its last activity: with each step the clock of the page would begin again.
  if (session.held)
    return { chatStatus: 'busy', ...phase, since: session.heldSince ?? session.lastActivityAt };
  const waits = session.unread ? waitsForFolder(session) : {};
  return { chatStatus: 'ready', ...waits, since: session.lastActivityAt };
}

function waitsForFolder({
  waitsFor,
  waitsForTask,
}: Pick<NonNullable<ChatStatusView['session']>, 'waitsFor' | 'waitsForTask'>): Pick<
  ChatStatusResult,
  'reason' | 'waitsForAgentId' | 'waitsForTask'
> {
  if (waitsFor === null) return {};
  return {
    reason: FOLDER_IN_USE,
    waitsForAgentId: waitsFor,
    ...(waitsForTask !== null && { waitsForTask }),
  };
}

/**
 * The phases are observed facts: picked up → its image is pulled, where it is missing → process started → signed in (then
 * there is a session).
 */
function rowStatus(
  row: NonNullable<ChatStatusView['row']>,
  coordinatorAlive: boolean,
  sessionEnding: boolean,
): ChatStatusResult {
  if (row.signInRefused)
    return { chatStatus: 'failed', reason: 'sign_in_refused', since: row.startedAt ?? row.createdAt };
  if (row.startedAt !== null) return { chatStatus: 'starting', ...startPhase(row), since: row.startedAt };
  if (sessionEnding) return { chatStatus: 'queued', reason: 'session_ending', since: row.createdAt };
  if (!coordinatorAlive) return { chatStatus: 'queued', reason: 'no_coordinator', since: row.createdAt };
  if (row.heldFor === 'capacity')
    return {
      chatStatus: 'queued',
      reason: 'capacity',
      ...(row.position !== null && { position: row.position }),
      since: row.createdAt,
    };
  if (row.heldFor === FOLDER_IN_USE)
    return {
      chatStatus: 'queued',
      reason: FOLDER_IN_USE,
      ...waitsForFolder(row),
      since: row.createdAt,
    };
  if (row.heldFor === 'cooling_down')
    return { chatStatus: 'queued', reason: 'cooling_down', since: row.createdAt };
  if (row.hasError) return { chatStatus: 'starting', phase: 'trying_again', since: row.createdAt };
  return { chatStatus: 'queued', since: row.createdAt };
}

function startPhase({
  processStarted,
  pullPercent,
}: Pick<NonNullable<ChatStatusView['row']>, 'processStarted' | 'pullPercent'>): Pick<
  ChatStatusResult,
  'phase' | 'pullPercent'
> {
  if (processStarted) return { phase: 'sign_in' };
  return pullPercent === null ? { phase: 'picked_up' } : { phase: 'pulling', pullPercent };
}
