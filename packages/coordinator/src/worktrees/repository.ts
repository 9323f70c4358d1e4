import { access } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StartError } from '../launch/start-error.ts';
import type { RunErrorTexts, SaidReason } from '../texts/run-errors.ts';
import { type Git, GitFailed } from './git.ts';

/** The repository of a project's folder. */
export interface Repository {
  readonly folder: string;
  readonly gitDir: string;
  readonly index: string;
  readonly objects: string;
  readonly shallowFile: string;
  readonly excludeFile: string;
}

/** Finds the repository whose top is this folder. Throws StartError: there is none with which a worktree is possible. */
export async function openRepository(git: Git, folder: string, texts: RunErrorTexts): Promise<Repository> {
  // A repository above the folder is not the project's.
  const inFolder = { cwd: folder, env: { GIT_CEILING_DIRECTORIES: dirname(folder) } };
  const gitDir = await git
    .text(['rev-parse', '--absolute-git-dir'], inFolder)
    .catch((error: unknown) => throwAs(error, texts.noRepository(folder)));
  if (gitDir === folder) throw new StartError(texts.bareRepository(folder));
  const pathOf = (name: string) =>
    git.text(['rev-parse', '--path-format=absolute', '--git-path', name], { place: { gitDir } });
  return {
    folder,
    gitDir,
    index: await pathOf('index'),
    objects: await pathOf('objects'),
    shallowFile: await pathOf('shallow'),
    excludeFile: await pathOf('info/exclude'),
  };
}

function throwAs(error: unknown, sentence: SaidReason): never {
  throw error instanceof GitFailed ? new StartError(sentence) : error;
}

/** The commit that is checked out; undefined: none yet. */
export async function headOf(git: Git, { gitDir }: Repository): Promise<string | undefined> {
  const { code, stdout } = await git.run(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], {
    place: { gitDir },
    expected: [0, 1],
  });
  return code === 0 ? stdout.toString().trim() : undefined;
}

/** The branch that is checked out; null: none. */
export async function branchOf(git: Git, { gitDir }: Repository): Promise<string | null> {
  const { code, stdout } = await git.run(['symbolic-ref', '--quiet', '--short', 'HEAD'], {
    place: { gitDir },
    expected: [0, 1],
  });
  return code === 0 ? stdout.toString().trim() : null;
}

const UNDER_WAY = [
  'index.lock',
  'MERGE_HEAD',
  'CHERRY_PICK_HEAD',
  'REVERT_HEAD',
  'rebase-merge',
  'rebase-apply',
];

/** Files that say that another git process, a merge or a rebase is under way. */
export async function underWay({ gitDir }: Repository): Promise<string[]> {
  const found: string[] = [];
  for (const name of UNDER_WAY) if (await exists(join(gitDir, name))) found.push(`.git/${name}`);
  return found;
}

export async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Settings that decide how files look on the disk. They start no program. */
const HARMLESS =
  '^(core[.](autocrlf|eol|filemode|symlinks|ignorecase|precomposeunicode)|extensions[.]objectformat)$';

/** Those of the repository, by name. */
export async function fileSettings(git: Git, { gitDir }: Repository): Promise<Map<string, string>> {
  const { stdout } = await git.run(['config', '-z', '--get-regexp', HARMLESS], {
    place: { gitDir },
    expected: [0, 1],
  });
  const pairs = stdout.toString().split('\0').filter(Boolean);
  return new Map(
    pairs.map((pair): [string, string] => {
      const end = pair.indexOf('\n');
      // A name without value means true.
      return end === -1 ? [pair, 'true'] : [pair.slice(0, end), pair.slice(end + 1)];
    }),
  );
}
