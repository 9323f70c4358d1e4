import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const entrySchema = z.object({
  runId: z.string(),
  bootId: z.string(),
  /** Unknown when the Coordinator died while it spawned. */
  pid: z.number().int().optional(),
  startTicks: z.number().int().optional(),
});
export type JournalEntry = z.infer<typeof entrySchema>;

/**
 * The runs of this home on disk, from before the spawn until the server has accepted the end: what a
 * Coordinator that was killed leaves to the next one.
 */
export class RunJournal {
  readonly #folder: string;

  constructor(home: string) {
    this.#folder = join(home, 'run', 'agent-runs');
  }

  async write(entry: JournalEntry): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const file = this.#fileOf(entry.runId);
    await writeFile(`${file}.partial`, JSON.stringify(entry), { mode: 0o600 });
    await rename(`${file}.partial`, file);
  }

  async remove(runId: string): Promise<void> {
    await rm(this.#fileOf(runId), { force: true });
  }

  async readAll(): Promise<JournalEntry[]> {
    const names = await readdir(this.#folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    const entries = names.filter((name) => name.endsWith('.json')).map((name) => this.#read(name));
    return (await Promise.all(entries)).filter((entry) => entry !== undefined);
  }

  async #read(name: string): Promise<JournalEntry | undefined> {
    const text = await readFile(join(this.#folder, name), 'utf8');
    return entrySchema.safeParse(JSON.parse(text)).data;
  }

  #fileOf(runId: string): string {
    return join(this.#folder, `${runId}.json`);
  }
}
