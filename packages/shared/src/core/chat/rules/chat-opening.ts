/** The facts on which the opening of a chat without a live session decides, read under the lock of the membership. */
export interface ChatOpeningView {
  /** The agent is started only when there is work. */
  readonly isPerWork: boolean;
  readonly hasWakeUp: boolean;
  /** A message waits for the agent. */
  readonly isNeeded: boolean;
}

/**
 * `wake`: it makes the wake-up, unless one exists. `wait`: it makes none, because the first message will; until then
 * the wake-up could only expire.
 */
export function decideChatOpening({ isPerWork, hasWakeUp, isNeeded }: ChatOpeningView): 'wake' | 'wait' {
  return isPerWork && !hasWakeUp && !isNeeded ? 'wait' : 'wake';
}
