/** What the model is told of the time (memory.md). */
export interface TimeContext {
  readonly now: string;
  readonly last_chat_created_at: string | null;
  readonly gap_seconds: number | null;
}

export function timeContext(now: Date, lastChatAt: Date | null, timeZone: string): TimeContext {
  return {
    now: localTime(now, timeZone),
    last_chat_created_at: lastChatAt && localTime(lastChatAt, timeZone),
    gap_seconds: lastChatAt && Math.max(0, Math.floor((now.getTime() - lastChatAt.getTime()) / 1_000)),
  };
}

/** ISO 8601 in seconds, with the offset of the zone at that time. */
export function localTime(at: Date, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en-u-ca-iso8601-nu-latn', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'longOffset',
  });
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? '';
  // "GMT+09:00", and "GMT" alone for no offset.
  const offset = part('timeZoneName').slice('GMT'.length) || '+00:00';
  return `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}T${part('hour')}:${part('minute')}:${part('second')}${offset.slice(0, 6)}`;
}
