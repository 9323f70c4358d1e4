import { readdir, readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@aizuchi/shared/platform/logger';
import { z } from 'zod';
import { writeDurably } from '../state/durable-file.ts';
import { makeFolder } from './make-folder.ts';
import { exists } from './repository.ts';

const worktreeSchema = z.object({
  /** The run that it was made for: its folder and its branch have that name. */
  runId: z.string(),
  /** The run that works in it, or was the last to, when that is a later one. */
  heldBy: z.string().optional(),
  agentId: z.string(),
  /** The folder of the project. */
  project: z.string(),
  base: z.string(),
  branch: z.string(),
  into: z.string().nullable(),
  /** The git directory of the worktree, within that of the repository; absent while it is being made. */
  worktreeGitDir: z.string().optional(),
  /** Written before the folder of the project is touched: after a crash it says whether that was done. */
  merge: z.string().optional(),
  /** What became of it: it must be reported, and what is left removed. */
  done: z.enum(['kept', 'discarded', 'unchanged']).optional(),
});
export type Worktree = z.infer<typeof worktreeSchema>;

export function holderOf({ heldBy, runId }: Worktree): string {
  return heldBy ?? runId;
}

const FILE = 'worktree.json';

/** The worktrees of this home: a folder for each, with a file that says what it is. */
export class WorktreeStore {
  readonly #home: string;
  readonly #logger: Logger;

  constructor(home: string, logger: Logger) {
    this.#home = home;
    this.#logger = logger;
  }

  /** Holds the record of a worktree and, in `files`, the worktree itself. It need not exist. */
  async folderOf(runId: string): Promise<string> {
    return join(await this.#root(), runId);
  }

  async filesOf(runId: string): Promise<string> {
    return join(await this.folderOf(runId), 'files');
  }

  async write(worktree: Worktree): Promise<void> {
    await writeDurably(join(await this.folderOf(worktree.runId), FILE), JSON.stringify(worktree));
  }

  /** Undefined: there is none, or nothing can be read of it. */
  async read(runId: string): Promise<Worktree | undefined> {
    try {
      const worktree = worktreeSchema.parse(
        JSON.parse(await readFile(join(await this.folderOf(runId), FILE), 'utf8')),
      );
      return worktree.runId === runId ? worktree : undefined;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT'))
        this.#logger.error({ err: error, runId }, 'description of a worktree not readable');
      return undefined;
    }
  }

  /** Of each worktree the run that it was made for. */
  async madeFor(): Promise<string[]> {
    return readdir(await this.#root());
  }

  /** Its real path: what runs enter is checked for links. Agents may pass through, and not list it. */
  async #root(): Promise<string> {
    const root = join(this.#home, 'worktrees');
    if (!(await exists(root))) await makeFolder(root, 0o711);
    return realpath(root);
  }
}
