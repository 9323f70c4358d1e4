import { join } from 'node:path';
import type { ChangesConflict, ConflictReason } from '@aizuchi/shared/contract/changes';
import { type Git, GitFailed, type GitPlace, splitNul } from './git.ts';
import { Disk, type RawName, shownName } from './on-disk.ts';
import { type PrivateGit, placeOf } from './private-git.ts';
import { branchOf, headOf, type Repository, underWay } from './repository.ts';
import { type Looked, lookAt, store } from './snapshot.ts';
import { withinLimits } from './within-limits.ts';
import type { Worktree } from './worktree-store.ts';

export interface KeepInput {
  readonly git: Git;
  readonly own: PrivateGit;
  readonly repository: Repository;
  readonly worktree: Worktree;
  /** What the worktree holds. */
  readonly tree: string;
  /** Called before the folder of the project is touched, with the commit that it will be at. */
  readonly onMerge: (commit: string) => Promise<void>;
}

export type KeepResult =
  | { readonly kept: true }
  | { readonly kept: false; readonly conflict: ChangesConflict };

/**
 * Merges what the worktree holds into the branch of the project's folder: a merge commit, and the files of the folder.
 * Every check comes before the first write, so a conflict has touched nothing. What is not committed in the folder is
 * never lost: where the merge changes such a path, that is a conflict. May be repeated after a crash at any point: what
 * was done already is found done.
 */
export async function keepWorktree(input: KeepInput): Promise<KeepResult> {
  const { git, repository, worktree } = input;
  if (worktree.merge !== undefined && (await isMerged(git, repository, worktree.merge)))
    return { kept: true };
  const obstacle = await findObstacle(input);
  if (obstacle) return obstacle;
  const head = await headOf(git, repository);
  if (head === undefined) return conflictOf('branch', [], { branch: await branchOf(git, repository) });
  const work = await commitOfWork(input);
  const merged = await mergeTrees(input, head, work);
  if ('kept' in merged) {
    await publishWork(input, work);
    return merged;
  }
  const headTree = await git.text(['rev-parse', `${head}^{tree}`], { place: { gitDir: repository.gitDir } });
  if (merged.tree === headTree) return { kept: true };
  const commit = await commitTree(input, merged.tree, [head, work], `Merge ${worktree.branch}\n`);
  const checked = await checkFolder(input, head, merged.tree);
  if ('kept' in checked) return checked;
  await input.onMerge(commit);
  return writeFolder(input, { head, commit, tree: merged.tree, alreadyThere: checked.alreadyThere });
}

async function isMerged(git: Git, { gitDir }: Repository, commit: string): Promise<boolean> {
  const { code } = await git.run(['merge-base', '--is-ancestor', commit, 'HEAD'], {
    place: { gitDir },
    expected: [0, 1, 128],
  });
  return code === 0;
}

async function findObstacle({ git, repository, worktree }: KeepInput): Promise<KeepResult | undefined> {
  const busy = await underWay(repository);
  if (busy.length > 0) return conflictOf('busy', busy);
  const branch = await branchOf(git, repository);
  if (branch !== worktree.into) return conflictOf('branch', [], { branch });
  return undefined;
}

/** The commits of the agent, with what it has not committed on top. */
async function commitOfWork(input: KeepInput): Promise<string> {
  const { git, repository, worktree, tree } = input;
  const place = { gitDir: repository.gitDir };
  const { code, stdout } = await git.run(
    ['rev-parse', '--verify', '--quiet', `refs/heads/${worktree.branch}^{commit}`],
    { place, expected: [0, 1, 128] },
  );
  const tip = code === 0 ? stdout.toString().trim() : worktree.base;
  const ancestor = await git.run(['merge-base', '--is-ancestor', worktree.base, tip], {
    place,
    expected: [0, 1, 128],
  });
  // A branch that was set to something else is not the work on the base.
  const parent = ancestor.code === 0 ? tip : worktree.base;
  const parentTree = await git.text(['rev-parse', `${parent}^{tree}`], { place });
  if (parent !== worktree.base && parentTree === tree) return parent;
  return commitTree(input, tree, [parent], `Work of ${worktree.agentId}\n\nRun ${worktree.runId}\n`);
}

async function commitTree(
  { git, own, repository, worktree }: KeepInput,
  tree: string,
  parents: readonly string[],
  message: string,
): Promise<string> {
  const author = {
    GIT_AUTHOR_NAME: worktree.agentId,
    GIT_AUTHOR_EMAIL: `${worktree.agentId}@aizuchi.invalid`,
  };
  return git.text(['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent])], {
    place: await placeOf(own, repository),
    input: message,
    env: author,
  });
}

async function mergeTrees(
  { git, own, repository }: KeepInput,
  head: string,
  work: string,
): Promise<{ tree: string } | KeepResult> {
  const { code, stdout } = await git.run(
    ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', head, work],
    { place: await placeOf(own, repository), expected: [0, 1] },
  );
  const [tree = '', ...paths] = splitNul(stdout);
  return code === 0 ? { tree } : conflictOf('merge', [...new Set(paths)]);
}

/** For `git merge` by hand: the branch then has what the agent has not committed, too. */
async function publishWork(input: KeepInput, work: string): Promise<void> {
  const { git, repository, worktree } = input;
  await storeInRepository(input, work, [worktree.base]);
  const place = { gitDir: repository.gitDir };
  await git.run(['update-ref', '-m', 'work of the agent', `refs/heads/${worktree.branch}`, work], { place });
}

/** Copies the commit, and the objects that are new with it, to the repository; `known`: what that has already. */
async function storeInRepository(
  { git, own, repository }: KeepInput,
  commit: string,
  known: readonly string[],
): Promise<void> {
  const input = [commit, ...known.map((one) => `^${one}`), ''].join('\n');
  await git.pipe(
    {
      args: ['pack-objects', '--revs', '--stdout', '-q'],
      options: { place: await placeOf(own, repository), input },
    },
    {
      args: ['unpack-objects', '-q'],
      options: { place: await placeOf(own, repository, { objects: repository.objects }) },
    },
  );
}

/** Whether the folder can be brought from `head` to `tree`, and which paths are there already, not committed. */
async function checkFolder(
  { git, own, repository }: KeepInput,
  head: string,
  tree: string,
): Promise<{ alreadyThere: RawName[] } | KeepResult> {
  const place = await placeOf(own, repository, { index: repository.index, workTree: repository.folder });
  await git.run(['update-index', '-q', '--refresh'], { place, expected: [0, 1] });
  const unmerged = await git.list(['diff-files', '-z', '--name-only', '--diff-filter=U'], { place });
  if (unmerged.length > 0) return conflictOf('busy', [...new Set(unmerged)].map(shownName));
  const compare = ['-z', '--name-only', '--no-renames', '--ignore-submodules=all'];
  const changing = await git.list(['diff-tree', '-r', ...compare, head, tree], { place });
  const staged = await git.list(['diff-index', '--cached', ...compare, head], { place });
  const dirty = await git.list(['diff-files', ...compare], { place });
  const disk = new Disk(repository.folder);
  const untracked = await untrackedOf(git, place, disk, changing);
  const changed = new Set([...staged, ...dirty, ...untracked]);
  const suspects = changing.filter((path) => changed.has(path));
  const different = await differing({ git, own, repository }, place, { disk, paths: suspects, tree });
  if (different.length > 0) return conflictOf('uncommitted', different.map(shownName));
  return { alreadyThere: suspects };
}

/** Those that are on the disk and in no index, ignored ones too. */
async function untrackedOf(
  git: Git,
  place: GitPlace,
  disk: Disk,
  paths: readonly RawName[],
): Promise<RawName[]> {
  const known = new Set(await git.list(['ls-files', '-z', '--cached'], { place }));
  const found: RawName[] = [];
  for (const path of paths) {
    if (known.has(path)) continue;
    const stats = await disk.stat(path);
    // What is in a folder is looked at by read-tree.
    if (stats && !stats.isDirectory()) found.push(path);
  }
  return found;
}

/** Those of these paths that are not in the folder as the tree has them. */
async function differing(
  { git, own, repository }: Pick<KeepInput, 'git' | 'own' | 'repository'>,
  place: GitPlace,
  { disk, paths, tree }: { disk: Disk; paths: readonly RawName[]; tree: string },
): Promise<RawName[]> {
  if (paths.length === 0) return [];
  const index = join(own.workFolder, 'folder-index');
  await git.program('cp', ['--', repository.index, index]);
  const tried = { ...place, index };
  const looked = await lookAt(disk, paths);
  await store(git, tried, looked);
  const other = await git.list(
    ['diff-index', '--cached', '-z', '--name-only', '--no-renames', '--ignore-submodules=all', tree],
    { place: tried },
  );
  const others = new Set([...other, ...looked.special]);
  return paths.filter((path) => others.has(path));
}

/** read-tree checks everything once more before it writes; the branch moves last, and only from `head`. */
async function writeFolder(
  input: KeepInput,
  to: { head: string; commit: string; tree: string; alreadyThere: readonly RawName[] },
): Promise<KeepResult> {
  const { git, own, repository, worktree } = input;
  const place = await placeOf(own, repository, { index: repository.index, workTree: repository.folder });
  await storeInRepository(input, to.commit, [to.head, worktree.base]);
  const there = await lookAt(new Disk(repository.folder), to.alreadyThere);
  // What a person changes at this moment must not be missing in the repository.
  await store(git, { ...place, objects: repository.objects }, there);
  const from = await withChanges(input, to.head, there);
  try {
    await git.run(['read-tree', '-m', '-u', from, to.tree], { place });
  } catch (error) {
    if (error instanceof GitFailed) return conflictOf('uncommitted', pathsIn(error.stderr));
    throw error;
  }
  const gitDir = { gitDir: repository.gitDir };
  await git.run(['update-ref', '-m', `merge ${worktree.branch}`, 'HEAD', to.commit, to.head], {
    place: gitDir,
  });
  return { kept: true };
}

/**
 * The tree of a commit with what is in the folder already: read-tree takes a folder that became a link for a change of
 * the person, if the link is there and not in the tree that it begins with.
 */
async function withChanges(
  { git, own, repository }: KeepInput,
  commit: string,
  looked: Looked,
): Promise<string> {
  const index = join(own.workFolder, 'begin-index');
  const place = await placeOf(own, repository, { index, workTree: repository.folder });
  await git.run(['read-tree', commit], { place });
  await store(git, place, looked);
  return git.text(['write-tree'], { place });
}

/** The paths that read-tree complains of. */
function pathsIn(stderr: string): string[] {
  const quoted = [...stderr.matchAll(/'(.+)'/g)].map(([, path = '']) => path);
  const indented = [...stderr.matchAll(/^\t(.+)$/gm)].map(([, path = '']) => path);
  return [...quoted, ...indented];
}

function conflictOf(
  reason: ConflictReason,
  paths: readonly string[],
  more: { branch?: string | null } = {},
): KeepResult {
  const named = withinLimits(paths, (path) => path);
  const conflict = { reason, paths: named, pathCount: paths.length, ...more };
  return { kept: false, conflict };
}
