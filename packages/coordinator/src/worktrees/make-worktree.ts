import { chown } from 'node:fs/promises';
import { StartError } from '../launch/start-error.ts';
import type { RunErrorTexts } from '../texts/run-errors.ts';
import { type Git, type GitAccount, GitFailed } from './git.ts';
import { makeFolder } from './make-folder.ts';
import { makePrivateGit, placeOf } from './private-git.ts';
import { branchOf, headOf, openRepository } from './repository.ts';
import type { Worktree, WorktreeStore } from './worktree-store.ts';

export interface NewWorktree {
  readonly runId: string;
  /** A later run, which works in it. */
  readonly heldBy?: string;
  readonly agentId: string;
  readonly project: string;
}

export interface MakeOptions {
  readonly git: Git;
  readonly store: WorktreeStore;
  readonly account: GitAccount | undefined;
  readonly texts: RunErrorTexts;
}

/**
 * A worktree of the project's repository on a branch of its own, at the commit that is checked out in the project's
 * folder; what is not committed there is not in it. Throws StartError: the folder is no repository, or not writable.
 */
export async function makeWorktree(wanted: NewWorktree, options: MakeOptions): Promise<Worktree> {
  const { git, store, account, texts } = options;
  const repository = await openRepository(git, wanted.project, texts);
  const base = await headOf(git, repository);
  if (base === undefined) throw new StartError(texts.emptyRepository(wanted.project));
  const branch = `aizuchi/${wanted.runId}`;
  const into = await branchOf(git, repository);
  const folder = await store.folderOf(wanted.runId);
  await makeFolder(folder, 0o711);
  const worktree: Worktree = { ...wanted, base, branch, into };
  await store.write(worktree);
  try {
    const files = await store.filesOf(wanted.runId);
    await makeFolder(files, 0o755);
    if (account) await chown(files, account.uid, account.gid);
    const { gitDir } = repository;
    // Without checkout: the files are written below, where no filter of the repository is known.
    await git.run(['worktree', 'add', '--no-checkout', '--no-track', '-b', branch, files, base], {
      place: { gitDir },
    });
    const worktreeGitDir = await git.text(['rev-parse', '--absolute-git-dir'], { cwd: files });
    const made = { ...worktree, worktreeGitDir };
    await store.write(made);
    const own = await makePrivateGit(git, folder, repository, account);
    const place = await placeOf(own, repository, { index: own.index, workTree: files });
    await git.run(['read-tree', '-m', '-u', base], { place });
    // The agent's own index begins with the same files, which need not be compared again.
    await git.program('cp', ['--', own.index, `${worktreeGitDir}/index`]);
    return made;
  } catch (error) {
    if (error instanceof GitFailed)
      throw new StartError(texts.worktreeNotMade(wanted.project, error.message), { cause: error });
    throw error;
  }
}
