import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@aizuchi/shared/platform/logger';
import { z } from 'zod';
import { runMarkSchema } from '../run-mark/run-mark.ts';
import { writeDurably } from './durable-file.ts';

const entrySchema = z.object({
  runId: z.string(),
  /** Absent: its processes are those of this host. */
  executor: z.enum(['docker', 'swarm', 'kubernetes']).optional(),
  /** When it is not the run's id: the run was given to a spare runner. */
  traceId: z.string().optional(),
  bootId: z.string(),
  /** Unknown when the Coordinator died while it spawned the process. */
  pid: z.number().int().optional(),
  startTicks: z.number().int().optional(),
  /** How its processes are identified; absent on hosts without marks, and in files of older versions. */
  mark: runMarkSchema.optional(),
});
export type JournalEntry = z.infer<typeof entrySchema>;

const ENDING = '.json';

/** One file per run. */
export function journalFolderOf(home: string): string {
  return join(home, 'run', 'agent-runs');
}

/**
 * The runs of this home on disk, from before the spawn until the server has accepted the end: from it the
 * next Coordinator learns what a killed one left.
 */
export class RunJournal {
  readonly #folder: string;
  readonly #logger: Logger;

  constructor(home: string, logger: Logger) {
    this.#folder = journalFolderOf(home);
    this.#logger = logger;
  }

  async write(entry: JournalEntry): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await writeDurably(this.#fileOf(entry.runId), JSON.stringify(entry));
  }

  async remove(runId: string): Promise<void> {
    await rm(this.#fileOf(runId), { force: true });
  }

  /** Every run whose end was not accepted; call it before the first `write`. */
  async readAll(): Promise<JournalEntry[]> {
    const names = await readdir(this.#folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    for (const name of names.filter((one) => one.endsWith('.partial')))
      await rm(join(this.#folder, name), { force: true });
    return Promise.all(names.filter((name) => name.endsWith(ENDING)).map((name) => this.#read(name)));
  }

  /**
   * A file that cannot be read is put aside: the others count, and the Coordinator starts. Its name still
   * names the run, by which its living processes are found, and it is written anew under that name until its
   * end is accepted. Only the group of a process that hides its environment is lost.
   */
  async #read(name: string): Promise<JournalEntry> {
    const runId = name.slice(0, -ENDING.length);
    try {
      const entry = entrySchema.parse(JSON.parse(await readFile(join(this.#folder, name), 'utf8')));
      if (entry.runId === runId) return entry;
      await this.#putAside(name, `it names the run ${entry.runId}`);
    } catch (error) {
      await this.#putAside(name, error instanceof Error ? error.message : String(error));
    }
    const known = { runId, bootId: 'unknown' };
    await this.write(known).catch((error: unknown) =>
      this.#logger.error({ runId, err: error }, 'run not written down anew'),
    );
    return known;
  }

  async #putAside(name: string, reason: string): Promise<void> {
    const aside = `${name}.unreadable-${new Date().toISOString().replaceAll(/[-:.]/g, '')}`;
    try {
      await rename(join(this.#folder, name), join(this.#folder, aside));
      this.#logger.error({ file: name, reason, aside }, 'journal file of a run not readable: put aside');
    } catch (error) {
      this.#logger.error(
        { file: name, reason, err: error },
        'journal file of a run not readable, left there',
      );
    }
  }

  #fileOf(runId: string): string {
    return join(this.#folder, `${runId}${ENDING}`);
  }
}
