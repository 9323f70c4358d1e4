/** The states and ends of a conversation; conversation-machine.ts has the transitions. */
export const CONVERSATION_STATES = ['pending', 'active', 'terminating', 'ended', 'expired'] as const;
export type ConversationState = (typeof CONVERSATION_STATES)[number];

export const CONVERSATION_END_REASONS = [
  'initiator_ended',
  'participant_ended',
  'timeout',
  'max_messages',
  'chain_limit',
  'human_stopped',
  'participant_gone',
  'not_started',
  'usage_limit',
] as const;
export type ConversationEndReason = (typeof CONVERSATION_END_REASONS)[number];
