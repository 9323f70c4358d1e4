import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MAX_NOTE_BYTES, parseDroppedNote } from '../../contract/run-log.ts';

/** A part of a run's log; `start` and `end` count bytes since the run began. */
export interface RunLogPart {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const DEFAULT_TAIL_LINES = 500;

/** Null when the log is not in this home: its Coordinator runs elsewhere, or nothing was written. */
export async function readRunLog(
  home: string,
  runId: string,
  query: { tail?: number | undefined; from?: number | undefined },
): Promise<RunLogPart | null> {
  // The Coordinator keeps it below two megabytes.
  const file = await readFile(join(home, 'logs', 'runs', `${runId}.log`)).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    },
  );
  return file === null ? null : cutLog(file, query);
}

export function cutLog(
  file: Buffer,
  query: { tail?: number | undefined; from?: number | undefined },
): RunLogPart {
  const { dropped, noteBytes } = parseDroppedNote(file.toString('utf8', 0, MAX_NOTE_BYTES));
  const content = file.subarray(noteBytes, wholeCharacters(file));
  const end = dropped + content.length;
  const at =
    query.from === undefined
      ? startOfLastLines(content, query.tail ?? DEFAULT_TAIL_LINES)
      : Math.min(Math.max(query.from - dropped, 0), content.length);
  return { text: content.toString('utf8', at), start: dropped + at, end };
}

function startOfLastLines(content: Buffer, lines: number): number {
  let at = content.at(-1) === 0x0a ? content.length - 1 : content.length;
  for (let count = 0; count < lines; count += 1) {
    if (at <= 0) return 0;
    at = content.lastIndexOf(0x0a, at - 1);
    if (at === -1) return 0;
  }
  return at + 1;
}

/** The end of the last whole UTF-8 character: the rest of the next one has not been written yet. */
function wholeCharacters(file: Buffer): number {
  for (let back = 1; back <= Math.min(3, file.length); back += 1) {
    const byte = file[file.length - back] ?? 0;
    if (byte < 0x80) break;
    if (byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return length > back ? file.length - back : file.length;
  }
  return file.length;
}
