/** For what is waited for half a second only: a test on a busy machine means the thing, not the clock. */
export const PATIENT_MS = 20_000;
