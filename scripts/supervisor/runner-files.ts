import { constants } from 'node:fs';
import { access, chmod, copyFile, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import type { Home } from './home.ts';

const dist = fileURLToPath(new URL('../../packages/agent-runner/dist/', import.meta.url));
const RUNNER = 'runner.mjs';
/** The runner, and beside it the files that it loads by their names. */
const isRunnerFile = (name: string) => /^(?:runner|claude-agent-sdk)[^/]*\.mjs$/.test(name);
/** An unprivileged account: what it can read, any agent account can read. */
const anyone = { uid: 65_534, gid: 65_534 };

/**
 * Finds the program of our own agents. As root, agents run as another account, which cannot read a checkout under
 * root's home: then the program is copied to a folder that it can read.
 */
export async function prepareRunnerFiles(home: Home): Promise<Record<string, string>> {
  if (!(await exists(join(dist, RUNNER)))) return {};
  const isRoot = process.getuid?.() === 0;
  const node = isRoot && !(await anyoneCanRun(process.execPath)) ? await copyNode(home) : process.execPath;
  return {
    AIZUCHI_RUNNER_NODE: node,
    AIZUCHI_RUNNER_BUNDLE: isRoot ? await copyRunner(home) : join(dist, RUNNER),
  };
}

async function anyoneCanRun(file: string): Promise<boolean> {
  const result = await execa(file, ['--version'], { ...anyone, cwd: '/', reject: false, stdio: 'ignore' });
  return result.exitCode === 0;
}

async function copyNode(home: Home): Promise<string> {
  const name = `node-${process.version}`;
  const copy = join(home.bin, name);
  if (await exists(copy)) return copy;
  for (const old of await readdir(home.bin)) if (old.startsWith('node-')) await rm(join(home.bin, old));
  return copyInto(process.execPath, home, name, 0o755);
}

/** The runner itself comes last: what it names is there. */
async function copyRunner(home: Home): Promise<string> {
  const files = (await readdir(dist)).filter(isRunnerFile);
  for (const old of await readdir(home.bin))
    if (isRunnerFile(old) && !files.includes(old)) await rm(join(home.bin, old));
  for (const file of files) if (file !== RUNNER) await copyInto(join(dist, file), home, file, 0o644);
  return copyInto(join(dist, RUNNER), home, RUNNER, 0o644);
}

async function copyInto(file: string, home: Home, name: string, mode: number): Promise<string> {
  const target = join(home.bin, name);
  const partial = `${target}.partial`;
  await copyFile(file, partial, constants.COPYFILE_FICLONE);
  await chmod(partial, mode);
  await rename(partial, target);
  return target;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
