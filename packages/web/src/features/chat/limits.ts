/** Code points of a person's message; the contract's module brings its schemas along (limits.test.ts compares). */
export const PERSON_MESSAGE_MAX_LENGTH = 4_000;

/** Messages that a chat reads when it opens. */
export const FIRST_PAGE_SIZE = 50;
