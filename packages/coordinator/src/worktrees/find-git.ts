import { execa } from 'execa';
import { findExecutable } from '../launch/executables.ts';
import { StartError } from '../launch/start-error.ts';
import type { RunErrorTexts } from '../texts/run-errors.ts';
import { Git, type GitAccount } from './git.ts';

/** The first with `merge-tree --write-tree`. */
const OLDEST: readonly [number, number] = [2, 38];

/** The git of this host. Throws StartError: it is missing, or too old. */
export async function findGit(
  path: string,
  account: GitAccount | undefined,
  texts: RunErrorTexts,
): Promise<Git> {
  const file = await findExecutable('git', '/', path);
  if (file === undefined) throw new StartError(texts.gitMissing);
  const { stdout } = await execa(file, ['--version'], { cwd: '/', timeout: 10_000 });
  const version = /\d+\.\d+[.\d]*/.exec(stdout)?.[0] ?? stdout;
  if (!isNewEnough(version)) throw new StartError(texts.gitTooOld(version, OLDEST.join('.')));
  return new Git(file, path, account);
}

export function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}
