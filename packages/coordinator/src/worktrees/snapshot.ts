import type { LeftOut } from '@aizuchi/shared/contract/changes';
import type { Git, GitPlace } from './git.ts';
import { Disk, nulInput, type RawName, rawNames, shownName } from './on-disk.ts';
import { exists } from './repository.ts';
import { WorktreeFault } from './worktree-fault.ts';

/** What a working tree holds now, as a tree object of the private git directory. */
export interface Snapshot {
  readonly tree: string;
  readonly leftOut: readonly LeftOut[];
}

export interface SnapshotOf {
  readonly place: GitPlace & { readonly workTree: string };
  readonly base: string;
  /** Also files that the agent added by force, although they are ignored. */
  readonly agentIndex: string | undefined;
  /** Patterns of the repository that are in no `.gitignore`. */
  readonly excludeFile: string;
}

const MAX_FILES = 20_000;
const MAX_BYTES = 512 * 1024 * 1024;

/**
 * Stores what differs from the base, untracked files included. Not `git add`: that runs `git status` in every
 * repository inside of the tree, with the configuration of that repository. Throws WorktreeFault: it is too much.
 */
export async function takeSnapshot(git: Git, of: SnapshotOf): Promise<Snapshot> {
  const { place, base } = of;
  const tracked = await git.list(
    ['diff-files', '-z', '--name-only', '--no-renames', '--ignore-submodules=all'],
    {
      place,
    },
  );
  const excludes = (await exists(of.excludeFile)) ? [`--exclude-from=${of.excludeFile}`] : [];
  const untracked = await git.list(
    ['ls-files', '-z', '--others', '--exclude-per-directory=.gitignore', ...excludes],
    { place },
  );
  const forced = await forcedFiles(git, of);
  const names = [...new Set([...tracked, ...untracked.filter((name) => !name.endsWith('/')), ...forced])];
  if (names.length > MAX_FILES) throw new WorktreeFault('tooMany', names.length);
  const disk = new Disk(place.workTree);
  const seen = await lookAt(disk, names);
  if (seen.bytes > MAX_BYTES) throw new WorktreeFault('tooLarge', Math.round(seen.bytes / 1024 / 1024));
  await store(git, place, seen);
  const tree = await git.text(['write-tree'], { place });
  const repositories = untracked.filter((name) => name.endsWith('/'));
  return {
    tree,
    leftOut: [
      ...repositories.map((name) => ({ path: shownName(name.slice(0, -1)), reason: 'repository' as const })),
      ...(await changedSubmodules(git, place, { base, disk })),
      ...seen.special.map((name) => ({ path: shownName(name), reason: 'special' as const })),
    ],
  };
}

/** Takes paths into the index as they are on the disk; special ones stay there as they were. */
export async function store(git: Git, place: GitPlace, { absent, present }: Looked): Promise<void> {
  // These come first, because they may be in the way of the others. git refuses those behind a link otherwise.
  if (absent.length > 0)
    await git.run(['update-index', '-z', '--force-remove', '--stdin'], { place, input: nulInput(absent) });
  if (present.length > 0)
    await git.run(['update-index', '-z', '--add', '--remove', '--replace', '--stdin'], {
      place,
      input: nulInput(present),
    });
}

export interface Looked {
  /** Gone, a folder, or behind a link. */
  readonly absent: readonly RawName[];
  /** A file or a link. */
  readonly present: readonly RawName[];
  readonly special: readonly RawName[];
  /** Of the files. */
  readonly bytes: number;
}

export async function lookAt(disk: Disk, names: readonly RawName[]): Promise<Looked> {
  const absent: RawName[] = [];
  const present: RawName[] = [];
  const special: RawName[] = [];
  let bytes = 0;
  for (const name of names) {
    const stats = await disk.stat(name);
    if (stats === undefined || stats.isDirectory()) absent.push(name);
    else if (stats.isFile() || stats.isSymbolicLink()) present.push(name);
    else special.push(name);
    bytes += stats?.isFile() ? stats.size : 0;
  }
  return { absent, present, special, bytes };
}

async function forcedFiles(git: Git, { place, agentIndex, base }: SnapshotOf): Promise<RawName[]> {
  if (agentIndex === undefined || !(await exists(agentIndex))) return [];
  return git.list(
    [
      'diff-index',
      '-z',
      '--cached',
      '--name-only',
      '--no-renames',
      '--diff-filter=A',
      '--ignore-submodules=all',
      base,
    ],
    { place: { ...place, index: agentIndex } },
  );
}

/** Submodules that the agent has filled: what is in them is never kept. */
async function changedSubmodules(
  git: Git,
  place: GitPlace,
  { base, disk }: { base: string; disk: Disk },
): Promise<LeftOut[]> {
  const { stdout } = await git.run(['ls-tree', '-r', '-z', base], { place });
  const found: LeftOut[] = [];
  for (const line of rawNames(stdout)) {
    if (!line.startsWith('160000 ')) continue;
    const name = line.slice(line.indexOf('\t') + 1);
    if (await disk.stat(`${name}/.git`)) found.push({ path: shownName(name), reason: 'submodule' });
  }
  return found;
}
