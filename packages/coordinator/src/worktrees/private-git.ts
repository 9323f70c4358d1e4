import { chown, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import type { Git, GitAccount, GitPlace } from './git.ts';
import { makeFolder } from './make-folder.ts';
import { exists, fileSettings, type Repository } from './repository.ts';

/**
 * A git directory of our own beside each worktree. It borrows the objects of the project's repository and shares nothing
 * else: whatever the repository defines (filters, merge drivers, monitors, includes) is not read, so that looking at
 * files of an agent and merging them starts no program. It has its own index, too: an agent cannot hide a change in it,
 * and its locks are no locks of the agent.
 */
export interface PrivateGit {
  readonly gitDir: string;
  readonly index: string;
  /** For indexes that are needed for a moment. */
  readonly workFolder: string;
}

export function privateGitOf(worktreeFolder: string): PrivateGit {
  const gitDir = join(worktreeFolder, 'git');
  const workFolder = join(gitDir, 'work');
  return { gitDir, workFolder, index: join(workFolder, 'index') };
}

/** `folder` is new and ours: as root its configuration stays ours, only objects and indexes belong to the agents. */
export async function makePrivateGit(
  git: Git,
  worktreeFolder: string,
  repository: Repository,
  account: GitAccount | undefined,
): Promise<PrivateGit> {
  const made = privateGitOf(worktreeFolder);
  const settings = await fileSettings(git, repository);
  const format = settings.get('extensions.objectformat') ?? 'sha1';
  settings.delete('extensions.objectformat');
  for (const folder of ['', 'refs', 'objects', 'objects/info', 'objects/pack', 'work'])
    await makeFolder(join(made.gitDir, folder), 0o755);
  await writeFile(join(made.gitDir, 'HEAD'), 'ref: refs/heads/none\n');
  await writeFile(join(made.gitDir, 'objects/info/alternates'), `${repository.objects}\n`);
  await writeFile(join(made.gitDir, 'config'), configOf(format, settings));
  if (account)
    for (const folder of ['objects', 'objects/pack', 'work'])
      await chown(join(made.gitDir, folder), account.uid, account.gid);
  return made;
}

/** Larger files are compared as binary ones. */
const BIG_FILE = '4m';

function configOf(format: string, settings: ReadonlyMap<string, string>): string {
  const core = [...settings].map(
    ([name, value]) => `${name.slice('core.'.length)} = ${JSON.stringify(value)}`,
  );
  const version = format === 'sha1' ? 0 : 1;
  return [
    '[core]',
    `repositoryformatversion = ${version}`,
    `bigFileThreshold = ${BIG_FILE}`,
    ...core,
    ...(format === 'sha1' ? [] : ['[extensions]', `objectFormat = ${format}`]),
    '',
  ].join('\n');
}

/** To look at a working tree through the private git directory. */
export async function placeOf(
  own: PrivateGit,
  repository: Repository,
  at: Pick<GitPlace, 'index' | 'workTree' | 'objects'> = {},
): Promise<GitPlace> {
  return {
    gitDir: own.gitDir,
    ...((await exists(repository.shallowFile)) && { shallowFile: repository.shallowFile }),
    ...at,
  };
}

/** Removes a folder with everything in it. Unlike our own loop, rm never follows a link that was just exchanged. */
export async function removeFolder(git: Git, folder: string): Promise<void> {
  // An agent may have left folders that nobody may enter; as root this is not needed, and fails.
  await git.program('chmod', ['-R', 'u+rwX', '--', folder]).catch(() => undefined);
  await execa('rm', ['-rf', '--', folder], { cwd: '/', stdin: 'ignore', env: { LC_ALL: 'C' } });
}
