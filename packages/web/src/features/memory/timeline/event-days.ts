import type { MemoryEvent } from '@aizuchi/shared/contract/memory';

export interface EventDay {
  /** The instant of its newest event. */
  readonly at: Date;
  /** 0: today; 1: yesterday. */
  readonly daysAgo: number;
  readonly events: readonly MemoryEvent[];
}

const DAY_MS = 24 * 60 * 60_000;

/** Events by local day, in their order. */
export function eventDays(events: readonly MemoryEvent[], now: Date): readonly EventDay[] {
  const days: { at: Date; daysAgo: number; events: MemoryEvent[] }[] = [];
  for (const event of events) {
    const at = new Date(event.createdAt);
    const daysAgo = Math.round((startOfDay(now) - startOfDay(at)) / DAY_MS);
    const last = days.at(-1);
    if (last?.daysAgo === daysAgo) last.events.push(event);
    else days.push({ at, daysAgo, events: [event] });
  }
  return days;
}

/** What an event says first, for one line of a list. */
export function titleOf({ userText, caption, assistantText }: MemoryEvent): string {
  return userText ?? caption ?? assistantText ?? '';
}

function startOfDay(at: Date): number {
  return new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime();
}
