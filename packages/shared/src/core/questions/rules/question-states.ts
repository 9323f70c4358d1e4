/** pending → answered | timeout | cancelled (domain.md "Question"); the machine beside this file moves between them. */
export const QUESTION_STATES = ['pending', 'answered', 'timeout', 'cancelled'] as const;
export type QuestionState = (typeof QUESTION_STATES)[number];
