/** What decides whether a person is there whom a session may ask. */
export interface AskingSession {
  /** The person for whom it was started, a task's too, or who opened its chat since; null: so far nobody. */
  readonly openedBy: string | null;
  /** A person's own words were delivered to it. */
  readonly heardPerson: boolean;
  /** What it works on now came from a schedule, and nothing of it from a person. */
  readonly worksForSchedule: boolean;
}

/**
 * Only where a person is in front of it may an agent ask; elsewhere nobody would answer, and nothing answers in his
 * place (trap 18). A warm session that works on a schedule's prompt is as alone as one that was started for it.
 */
export function mayAsk(session: AskingSession): boolean {
  if (session.worksForSchedule) return false;
  return session.openedBy !== null || session.heardPerson;
}
