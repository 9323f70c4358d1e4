import { chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { until } from './coordinator-host.ts';
import { WorktreeWorld } from './worktree-world.ts';

const RUN = 'run_1';
const HOOKS = ['post-checkout', 'post-merge', 'post-commit', 'reference-transaction', 'post-index-change'];

let world: WorktreeWorld;
let marks: string;
beforeEach(async () => {
  world = await WorktreeWorld.create();
  marks = join(world.home, '..', 'marks');
  await mkdir(marks);
  await chmod(marks, 0o777);
});
afterEach(() => world.close());

/** A command that leaves a mark and does what is expected of it otherwise. */
const marking = (name: string, rest = 'cat') => `touch '${marks}/${name}'; ${rest}`;

/** Everything by which a repository can make git start programs. */
async function setTraps(at = world.project, name = ''): Promise<void> {
  const settings: Record<string, string> = {
    'core.fsmonitor': `sh -c "touch '${marks}/fsmonitor${name}'"`,
    'diff.external': marking('diff-external', 'true'),
    'diff.trap.textconv': marking('textconv'),
    'diff.trap.command': marking('diff-command', 'true'),
    'merge.trap.driver': marking('merge-driver', 'true'),
    'filter.trap.clean': marking('clean'),
    'filter.trap.smudge': marking('smudge'),
    'filter.trap.required': 'true',
    'core.pager': marking('pager'),
    'core.editor': marking('editor', 'true'),
    'gpg.program': marking('gpg', 'false'),
    'commit.gpgSign': 'true',
    'core.sshCommand': marking('ssh', 'false'),
  };
  for (const [key, value] of Object.entries(settings)) await world.git(['config', key, value], at);
}

async function setHooks(): Promise<void> {
  const hooks = join(world.project, '.git', 'hooks');
  for (const hook of HOOKS) {
    await writeFile(join(hooks, hook), `#!/bin/sh\n${marking(`hook-${hook}`, 'true')}\n`);
    await chmod(join(hooks, hook), 0o755);
  }
}

test('nothing that a repository defines is run: hooks, filters, monitors, drivers, nested repositories', async () => {
  await world.repository({
    'a.txt': 'one\ntwo\nthree\n',
    '.gitattributes': '* filter=trap diff=trap merge=trap\n',
  });
  await world.write({ '.git/info/attributes': '* filter=trap diff=trap merge=trap\n' });
  const sub = join(world.home, '..', 'sub');
  await world.write({ 'x.txt': 'x\n' }, sub);
  await world.git(['init', '-q', sub]);
  await world.git(['commit', '-q', '--allow-empty', '-m', 'sub'], sub);
  await world.git(['-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', sub, 'module']);
  await world.git(['commit', '-q', '-am', 'with a submodule']);
  await setTraps();
  await setHooks();
  const markedBefore = await readdir(marks);

  const files = await world.start(RUN);
  expect(await readdir(marks)).toEqual(markedBefore);
  await world.write({ 'a.txt': 'one\n2\nthree\n', 'b.txt': 'b\n' }, files);
  // A repository inside of the worktree, and the submodule as a repository: each with traps of its own.
  for (const inside of ['nested', 'module']) {
    await world.git(['init', '-q', join(files, inside)], files);
    await world.git(['commit', '-q', '--allow-empty', '-m', 'inside'], join(files, inside));
    await setTraps(join(files, inside), `-${inside}`);
    await world.write({ [`${inside}/x.txt`]: 'x\n' }, files);
  }
  await rm(marks, { recursive: true });
  await mkdir(marks);
  await chmod(marks, 0o777);
  const looked = await world.order(RUN, 'look');
  expect(looked.seen?.files.map(({ path }) => path)).toEqual(['a.txt', 'b.txt']);
  expect(looked.seen?.leftOut).toEqual([
    { path: 'nested', reason: 'repository' },
    { path: 'module', reason: 'submodule' },
  ]);
  await world.end(RUN);
  expect(await world.order(RUN, 'keep')).toMatchObject({ outcome: 'kept' });
  await world.start('run_2');
  await world.order('run_2', 'discard');
  // Both are removed after it was reported, by git too.
  await until(async () => (await readdir(join(world.home, 'worktrees'))).length === 0 || undefined);
  expect(await readdir(marks)).toEqual([]);
  expect(await world.read('a.txt')).toBe('one\n2\nthree\n');

  // The traps work: what a person runs starts them.
  await world.git(['checkout', '-q', '-b', 'other']);
  await world.write({ 'a.txt': 'x\n' });
  await world.git(['add', 'a.txt']);
  expect(await readdir(marks)).toEqual(
    expect.arrayContaining(['clean', 'fsmonitor', 'hook-post-checkout', 'hook-reference-transaction']),
  );
});
