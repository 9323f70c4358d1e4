/*
 * The log of a run is limited in size: its oldest part is dropped. The first line of such a file says how
 * many bytes were dropped, so that a byte keeps its number from the start of the run to its end.
 */

const NOTE = /^\[… the first (\d{1,15}) bytes of this log were dropped\]\n/;
/** Longer than any note. */
export const MAX_NOTE_BYTES = 100;

export function droppedNote(bytes: number): string {
  return `[… the first ${bytes} bytes of this log were dropped]\n`;
}

/** What the first line of a log file says: the number of dropped bytes, and its own length. */
export function parseDroppedNote(head: string): { dropped: number; noteBytes: number } {
  const [note, dropped] = NOTE.exec(head) ?? [];
  if (note === undefined) return { dropped: 0, noteBytes: 0 };
  return { dropped: Number(dropped), noteBytes: new TextEncoder().encode(note).length };
}
