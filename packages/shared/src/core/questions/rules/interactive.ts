/** The facts that decide whether a person is present whom a session may ask. */
export interface AskingSession {
  /**
   * The person for whom it was started, also for a task, or who has opened its chat since; null: nobody so
   * far.
   */
  readonly openedBy: string | null;
  /** A message that a person wrote was delivered to it. */
  readonly heardPerson: boolean;
  /** Its current work came from a schedule, and no part of it from a person. */
  readonly worksForSchedule: boolean;
}

/**
 * An agent may ask only where a person is present; elsewhere nobody would answer, and no default replaces an
 * answer (trap 18). This holds for a warm session that works on the prompt of a schedule as well as for one
 * that was started for it.
 */
export function mayAsk(session: AskingSession): boolean {
  if (session.worksForSchedule) return false;
  return session.openedBy !== null || session.heardPerson;
}
