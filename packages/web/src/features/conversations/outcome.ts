import type { Conversation } from '@aizuchi/shared/contract/conversation';

/** The state of a conversation, or how it ended: the key of its text, and its colour. */
export interface Outcome {
  readonly key:
    | 'pending'
    | 'active'
    | 'ended_by'
    | 'timeout'
    | 'max_messages'
    | 'chain_limit'
    | 'human_stopped'
    | 'participant_gone'
    | 'not_started'
    | 'usage_limit';
  readonly tone: 'accent' | 'neutral' | 'amber' | 'red';
}

export function isLive({ state }: Pick<Conversation, 'state'>): boolean {
  return state === 'pending' || state === 'active';
}

export function outcomeOf({ state, endReason }: Pick<Conversation, 'state' | 'endReason'>): Outcome {
  if (state === 'pending' || state === 'active') return { key: state, tone: 'accent' };
  switch (endReason) {
    case 'timeout':
    case 'max_messages':
    case 'chain_limit':
    case 'usage_limit':
      return { key: endReason, tone: 'amber' };
    case 'participant_gone':
    case 'not_started':
      return { key: endReason, tone: 'red' };
    case 'human_stopped':
      return { key: endReason, tone: 'neutral' };
    default:
      return { key: 'ended_by', tone: 'neutral' };
  }
}

/** Milliseconds from its start to its end, or until now. */
export function durationMs({ createdAt, endedAt }: Conversation, now: Date): number {
  return Math.max(0, (endedAt === null ? now.getTime() : Date.parse(endedAt)) - Date.parse(createdAt));
}
