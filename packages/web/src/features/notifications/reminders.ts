/** When a question was last notified, and how often. */
export interface Reminder {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly times: number;
}

const MINUTE = 60_000;
/** The delay after the first notification, the second, and so on; the last delay is repeated. */
export const REMIND_AFTER_MS = [2 * MINUTE, 10 * MINUTE, 30 * MINUTE] as const;

/** When the next notification is due: for a new question at once. */
export function dueAt(reminder: Reminder | undefined): number {
  if (!reminder || reminder.times === 0) return 0;
  const index = Math.min(reminder.times, REMIND_AFTER_MS.length) - 1;
  return reminder.at + (REMIND_AFTER_MS[index] ?? 0);
}

export type RemindersById = Readonly<Record<string, Reminder>>;

/** Entries of an unexpected shape are dropped: then a notification is shown once too often. */
export function readReminders(text: string | undefined): RemindersById {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    if (typeof value !== 'object' || value === null) return {};
    return Object.fromEntries(
      Object.entries(value).filter(
        (entry): entry is [string, Reminder] =>
          Number.isFinite(entry[1]?.at) && Number.isFinite(entry[1]?.times),
      ),
    );
  } catch {
    return {};
  }
}
