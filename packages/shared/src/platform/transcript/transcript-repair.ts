import type { TranscriptPlace } from './transcript-place.ts';
import type { TranscriptQueries } from './transcript-queries.ts';
import type { TranscriptWriter } from './transcript-writer.ts';

/*
 * The database is the source, the file follows it. A repair compares the file with what the messages say, from a byte
 * on: the same bytes stay, what is missing is written (a crash between commit and append, a torn line), and a file
 * with other bytes is put aside and written anew (TranscriptFile.catchUp). It is done
 * - when a service starts, for every transcript: first the ends, then the whole files;
 * - before the first append to a file that this process has not written yet: its end;
 * - after an append that failed, with the next line or at the retry (TranscriptWriter).
 */

const PAGE = 100;
const AT_ONCE = 4;
/** A whole file may be long; one whose folder hangs must not keep the others from being looked at. */
const WHOLE_TIMEOUT_MS = 10_000;

export interface RepairOptions {
  readonly queries: Pick<TranscriptQueries, 'transcripts'>;
  readonly writerOf: (place: TranscriptPlace) => Pick<TranscriptWriter, 'repair'>;
  readonly isClosed: () => boolean;
  /** How long the end of one file is waited for. */
  readonly timeoutMs: number;
}

/** The ends of all transcripts, several at a time; then all of each, one at a time. Rejects when the database fails. */
export async function repairTranscripts(options: RepairOptions): Promise<void> {
  await repairEach(options, { scope: 'end', atOnce: AT_ONCE, timeoutMs: options.timeoutMs });
  await repairEach(options, { scope: 'whole', atOnce: 1, timeoutMs: WHOLE_TIMEOUT_MS });
}

async function repairEach(
  { queries, writerOf, isClosed }: RepairOptions,
  { scope, atOnce, timeoutMs }: { scope: 'end' | 'whole'; atOnce: number; timeoutMs: number },
): Promise<void> {
  let after = '';
  for (;;) {
    const places = await queries.transcripts(after, PAGE);
    const last = places.at(-1);
    if (!last || isClosed()) return;
    after = last.id;
    const repairInTurn = async () => {
      for (let place = places.shift(); place && !isClosed(); place = places.shift()) {
        const { projectId, agentId, workingDirectory } = place;
        await writerOf({ projectId, agentId, workingDirectory }).repair(scope, timeoutMs);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, repairInTurn));
  }
}
