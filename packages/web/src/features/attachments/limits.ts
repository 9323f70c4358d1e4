/** Not imported from the contract, whose module contains schemas (limits.test.ts compares them). */
export const MAX_FILE_BYTES = 5 * 1024 * 1024;
export const MAX_FILES = 10;
