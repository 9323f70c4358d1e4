/**
 * pending → allowed_once | allowed_session | denied | timeout | cancelled; the state machine in this folder
 * describes the transitions.
 */
export const APPROVAL_STATES = [
  'pending',
  'allowed_once',
  'allowed_session',
  'denied',
  'timeout',
  'cancelled',
] as const;
export type ApprovalState = (typeof APPROVAL_STATES)[number];

/** What a person may decide. */
export const APPROVAL_DECISIONS = ['allow_once', 'allow_session', 'deny'] as const;
export type ApprovalDecision = (typeof APPROVAL_DECISIONS)[number];

export const STATE_OF_DECISION = {
  allow_once: 'allowed_once',
  allow_session: 'allowed_session',
  deny: 'denied',
} as const satisfies Record<ApprovalDecision, ApprovalState>;

/** What the agent says of its request: an edit inside the working directory, a command, or anything else. */
export const APPROVAL_KINDS = ['edit', 'command', 'other'] as const;
export type ApprovalKind = (typeof APPROVAL_KINDS)[number];
