/** In code points. Not imported from the contract, whose module contains schemas (limits.test.ts compares them). */
export const MAX_PERSON_MESSAGE_LENGTH = 4_000;

/** How many messages are read when a chat opens. */
export const FIRST_PAGE_SIZE = 50;
