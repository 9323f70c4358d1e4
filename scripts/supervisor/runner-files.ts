import { constants } from 'node:fs';
import { access, chmod, copyFile, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import type { Home } from './home.ts';

const bundle = fileURLToPath(new URL('../../packages/agent-runner/dist/runner.mjs', import.meta.url));
/** An unprivileged account: what it can read, any agent account can read. */
const anyone = { uid: 65_534, gid: 65_534 };

/**
 * Finds the program of our own agents. As root, agents run as another account, which cannot read a checkout under
 * root's home: then the program is copied to a folder that it can read.
 */
export async function prepareRunnerFiles(home: Home): Promise<Record<string, string>> {
  if (!(await exists(bundle))) return {};
  const isRoot = process.getuid?.() === 0;
  const node = isRoot && !(await anyoneCanRun(process.execPath)) ? await copyNode(home) : process.execPath;
  return {
    AIZUCHI_RUNNER_NODE: node,
    AIZUCHI_RUNNER_BUNDLE: isRoot ? await copyInto(bundle, home, 'runner.mjs', 0o644) : bundle,
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
