/**
 * pending → answered | timeout | cancelled; the state machine in this folder describes
 * the transitions.
 */
export const QUESTION_STATES = ['pending', 'answered', 'timeout', 'cancelled'] as const;
export type QuestionState = (typeof QUESTION_STATES)[number];
