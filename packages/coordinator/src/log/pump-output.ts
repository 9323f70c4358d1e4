import type { Logger } from '@aizuchi/shared/platform/logger';
import { Redactor } from './redactor.ts';
import type { RunLog } from './run-log.ts';
import type { StderrTail } from './stderr-tail.ts';

export interface OutputSink {
  readonly log: Pick<RunLog, 'write'>;
  /** Made unreadable in all that is kept. */
  readonly secrets: readonly string[];
  /** Keeps the last lines of stderr. */
  readonly tail?: StderrTail | undefined;
  readonly logger: Logger;
}

/** Writes output to the log of its run; reads to the end even if the log cannot be written. Never rejects. */
export async function pumpOutput(output: AsyncIterable<Buffer>, sink: OutputSink): Promise<void> {
  const { log, tail, logger } = sink;
  const redactor = new Redactor(sink.secrets);
  let logFails = false;
  const take = async (chunk: Buffer) => {
    tail?.push(chunk);
    if (logFails || chunk.length === 0) return;
    try {
      await log.write(chunk);
    } catch (error) {
      logFails = true;
      logger.warn({ err: error }, 'run log not written');
    }
  };
  try {
    for await (const chunk of output) await take(redactor.push(chunk));
  } catch (error) {
    logger.warn({ err: error }, 'output not read');
  }
  await take(redactor.end());
}
