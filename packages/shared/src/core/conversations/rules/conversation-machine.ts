import { unreachable } from '../../rules/unreachable.ts';
import type { ConversationEndReason, ConversationState } from './conversation-states.ts';

/*
 *            join                 end · stop · gone · limit · time                both know, or gone
 *  pending ────────▶ active ─────────────────────────────────────▶ terminating ───────────────────▶ ended
 *     │ └──────────────── end by its initiator · stop · gone ────────────────────────────────────────▲
 *     └── time · its wake-up came to nothing ──▶ expired
 */
export type ConversationSide = 'initiator' | 'participant';

export interface ConversationSnapshot {
  readonly state: ConversationState;
  readonly messageCount: number;
  readonly maxMessages: number;
  readonly createdAt: Date;
  /** When it became active, or the last message after that. */
  readonly lastActivityAt: Date;
  /** A side waits until another agent has done its work in the folder of the project. */
  readonly waitsForFolder: boolean;
  /**
   * Until when a side was in a turn that has to speak next, or to join, as its heartbeats say; null: neither was, or it was
   * not read (`withWork`).
   */
  readonly atWorkUntil: Date | null;
  readonly endedAt: Date | null;
}

/** How many messages are left besides `max_messages`; Infinity where there is no limit. */
export interface MessagesLeft {
  readonly chain: number;
  readonly hour: number;
}

/** Whether a side knows the end. away: it has no live session that could learn it. */
export type SideKnows = 'acknowledged' | 'waiting' | 'away';

export interface ConversationTimes {
  readonly pendingTimeoutMs: number;
  readonly timeoutMs: number;
  /** How much of a turn is no silence. */
  readonly workMs: number;
}

export type ConversationCommand =
  | { readonly type: 'join' }
  | { readonly type: 'send'; readonly by: ConversationSide; readonly left: MessagesLeft }
  /**
   * The last message that max_messages allows was stored, and its reader has a session that can learn that it
   * was the last.
   */
  | { readonly type: 'filled' }
  | { readonly type: 'end'; readonly by: ConversationSide }
  /** A person stops it. */
  | { readonly type: 'stop' }
  /**
   * A side will not come back: its agent is being removed, was stopped by a person, or could not be woken.
   */
  | { readonly type: 'gone' }
  /** The agent that has to read has used its tokens of today. */
  | { readonly type: 'over_limit' }
  /** The wake-up of the participant failed. */
  | { readonly type: 'not_woken' }
  | { readonly type: 'tick'; readonly times: ConversationTimes }
  | {
      readonly type: 'settle';
      readonly initiator: SideKnows;
      readonly participant: SideKnows;
      readonly graceMs: number;
    };

export type ConversationRefusal = 'not_pending' | 'not_live' | 'limit_reached' | 'nothing_to_do';

export interface ConversationEnding {
  readonly to: 'terminating' | 'ended' | 'expired';
  readonly reason: ConversationEndReason;
  readonly endedBy: ConversationSide | null;
}

export type ConversationChange =
  | { readonly to: 'active' }
  | { readonly to: 'said' }
  | ConversationEnding
  /**
   * It had ended already: when both end it at the same time, the second gets the same result, and thereby
   * knows the end.
   */
  | { readonly to: 'acknowledged' }
  | { readonly to: 'settled' };

export type ConversationDecision =
  | { readonly ok: true; readonly change: ConversationChange }
  | { readonly ok: false; readonly refusal: ConversationRefusal };

export function isLiveConversation(state: ConversationState): boolean {
  return state === 'pending' || state === 'active';
}

const change = (value: ConversationChange): ConversationDecision => ({ ok: true, change: value });
const refuse = (refusal: ConversationRefusal): ConversationDecision => ({ ok: false, refusal });

/** The transitions; pure, `now` is read after the row lock. */
export function decideConversation(
  conversation: ConversationSnapshot,
  command: ConversationCommand,
  now: Date,
): ConversationDecision {
  switch (command.type) {
    case 'join':
      return conversation.state === 'pending' ? change({ to: 'active' }) : refuse('not_pending');
    case 'send':
      return decideSend(conversation, command);
    case 'filled':
      return conversation.state === 'active' && conversation.messageCount >= conversation.maxMessages
        ? ending(conversation, 'max_messages', null)
        : refuse('nothing_to_do');
    case 'end':
      if (!isLiveConversation(conversation.state)) return change({ to: 'acknowledged' });
      return ending(conversation, `${command.by}_ended`, command.by);
    case 'stop':
      return ending(conversation, 'human_stopped', null);
    case 'gone':
      return ending(conversation, 'participant_gone', null);
    case 'over_limit':
      return ending(conversation, 'usage_limit', null);
    case 'not_woken':
      return conversation.state === 'pending' ? change(EXPIRED) : refuse('not_pending');
    case 'tick':
      return decideTick(conversation, command.times, now);
    case 'settle':
      return decideSettle(conversation, command, now);
    default:
      return unreachable(command);
  }
}

const EXPIRED: ConversationEnding = { to: 'expired', reason: 'not_started', endedBy: null };

/** A conversation that never began has no other side that must learn it: it is over at once. */
function ending(
  conversation: ConversationSnapshot,
  reason: ConversationEndReason,
  endedBy: ConversationSide | null,
): ConversationDecision {
  if (!isLiveConversation(conversation.state)) return refuse('not_live');
  return change({ to: conversation.state === 'pending' ? 'ended' : 'terminating', reason, endedBy });
}

/**
 * A message beyond a limit ends the conversation. For max_messages the last allowed message ends it
 * (`filled`), so that no agent composes an answer that would be refused. Before the participant has joined
 * nothing is ended: the initiator waits.
 */
function decideSend(
  conversation: ConversationSnapshot,
  command: ConversationCommand & { type: 'send' },
): ConversationDecision {
  const { state, messageCount, maxMessages } = conversation;
  if (!isLiveConversation(state) || (state === 'pending' && command.by === 'participant'))
    return refuse('not_live');
  const isFull = messageCount >= maxMessages;
  if (!isFull && command.left.chain > 0 && command.left.hour > 0) return change({ to: 'said' });
  if (state === 'pending') return refuse('limit_reached');
  return ending(conversation, isFull ? 'max_messages' : 'chain_limit', null);
}

function decideTick(
  conversation: ConversationSnapshot,
  times: ConversationTimes,
  now: Date,
): ConversationDecision {
  const { state, createdAt, lastActivityAt } = conversation;
  // Nobody is silent: what was said has not been given yet.
  if (conversation.waitsForFolder) return refuse('nothing_to_do');
  if (state === 'pending' && silentMs(conversation, createdAt, times, now) >= times.pendingTimeoutMs)
    return change(EXPIRED);
  if (state === 'active' && silentMs(conversation, lastActivityAt, times, now) >= times.timeoutMs)
    return ending(conversation, 'timeout', null);
  return refuse('nothing_to_do');
}

/** A turn is no silence, for a bounded time: heartbeats may come for ever. */
function silentMs(
  { atWorkUntil }: ConversationSnapshot,
  since: Date,
  { workMs }: ConversationTimes,
  now: Date,
): number {
  const worked = Math.min(atWorkUntil?.getTime() ?? 0, since.getTime() + workMs);
  return now.getTime() - Math.max(since.getTime(), worked);
}

/**
 * Trap 2: the side that ended it, or acknowledged the end first, does not close it; it is over only when both
 * know.
 */
function decideSettle(
  conversation: ConversationSnapshot,
  command: ConversationCommand & { type: 'settle' },
  now: Date,
): ConversationDecision {
  const { state, endedAt } = conversation;
  if (state !== 'terminating' || endedAt === null) return refuse('nothing_to_do');
  const graceIsOver = now.getTime() - endedAt.getTime() >= command.graceMs;
  const isDone = (knows: SideKnows) => knows === 'acknowledged' || (knows === 'away' && graceIsOver);
  return isDone(command.initiator) && isDone(command.participant)
    ? change({ to: 'settled' })
    : refuse('nothing_to_do');
}
