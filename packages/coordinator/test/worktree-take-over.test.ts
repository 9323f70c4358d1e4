import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { until } from './coordinator-host.ts';
import { WorktreeWorld } from './worktree-world.ts';

const FIRST = 'run_1';
const SECOND = 'run_2';

let world: WorktreeWorld;
beforeEach(async () => {
  world = await WorktreeWorld.create();
  await world.repository();
});
afterEach(() => world.close());

const reportsOf = (runId: string) =>
  world.server.callsOf('report_changes').filter(({ args }) => args.run_id === runId);
const takeOver = (runId: string) => world.start(runId, { worktree_made_for: FIRST });

/** The first run, which has written something and was interrupted. */
async function interrupted(): Promise<string> {
  const files = await world.start(FIRST);
  await world.write({ 'b.txt': 'half\n' }, files);
  await world.end(FIRST);
  return files;
}

test('the next run works in the same folder, with what the first has written; kept once, with all of it', async () => {
  const files = await interrupted();
  expect(await takeOver(SECOND)).toBe(files);
  expect(await world.read('b.txt', files)).toBe('half\n');
  await world.write({ 'a.txt': 'of the second\n' }, files);
  expect(await world.end(SECOND)).toMatchObject({
    run_id: SECOND,
    made_for: FIRST,
    branch: `aizuchi/${FIRST}`,
    seen: { fileCount: 2 },
  });
  expect(await world.order(SECOND, 'keep', FIRST)).toMatchObject({ outcome: 'kept', run_id: SECOND });
  expect(await world.read('b.txt')).toBe('half\n');
  expect(await world.read('a.txt')).toBe('of the second\n');
  await until(async () => ((await readdir(join(world.home, 'worktrees'))).length === 0 ? true : undefined));
  expect(await world.git(['branch', '--list', 'aizuchi/*'])).toBe('');
});

test('it does not begin before the first has ended, and the end of the first does not remove it', async () => {
  const files = await world.start(FIRST);
  let hasBegun = false;
  const second = takeOver(SECOND).then((folder) => {
    hasBegun = true;
    return folder;
  });
  // A new worktree takes longer, and an order about the one that is waited for is carried out.
  await world.start('run_3');
  expect(await world.order(FIRST, 'look')).toMatchObject({ outcome: 'seen' });
  expect(hasBegun).toBe(false);
  await world.worktrees.ended(FIRST);
  expect(await second).toBe(files);
  expect(await world.read('a.txt', files)).toBe('one\ntwo\nthree\n');
  expect(await world.git(['status', '--porcelain', '-b'], files)).toBe(`## aizuchi/${FIRST}`);
});

test('of a first run that had changed nothing the folder is made again, from what is checked out now', async () => {
  const files = await world.start(FIRST);
  expect(await world.end(FIRST)).toMatchObject({ outcome: 'unchanged' });
  await world.commit({ 'new.txt': 'new\n' }, 'meanwhile');
  expect(await takeOver(SECOND)).toBe(files);
  expect(await world.read('new.txt', files)).toBe('new\n');
  expect(reportsOf(SECOND).at(-1)?.args).toMatchObject({
    made_for: FIRST,
    outcome: 'seen',
    base: await world.git(['rev-parse', 'HEAD']),
  });
});

test('a process of the first that cannot be ended: the run does not begin', async () => {
  const files = await world.start(FIRST);
  await world.write({ 'b.txt': 'half\n' }, files);
  await world.worktrees.ended(FIRST, true);
  await expect(takeOver(SECOND)).rejects.toThrow('still works in its worktree');
  // The next one gets a new worktree, and what the first has written waits for a person.
  expect(await world.start('run_3')).not.toBe(files);
  expect(await world.read('b.txt', files)).toBe('half\n');
});

test('the project has another folder by now: the run does not begin', async () => {
  await interrupted();
  const other = join(world.home, '..', 'other');
  await mkdir(other);
  const order = { worktree_made_for: FIRST, working_directory: other };
  await expect(world.start(SECOND, order)).rejects.toThrow(`is of another folder, ${world.project}`);
});

test('after a crash of the Coordinator the next one knows which run has which worktree', async () => {
  const files = await interrupted();
  await takeOver(SECOND);
  world.restart();
  const left = await world.worktrees.left();
  expect(left).toEqual([{ madeFor: FIRST, runId: SECOND }]);
  // Its processes are being ended.
  world.worktrees.working(SECOND);
  const third = takeOver('run_3');
  expect(await world.end(SECOND)).toMatchObject({ run_id: SECOND, made_for: FIRST, outcome: 'seen' });
  expect(await third).toBe(files);
});

test('a run that was to take it over and never did: a person decides about it all the same', async () => {
  await interrupted();
  world.restart();
  expect(await world.order(SECOND, 'look', FIRST)).toMatchObject({ run_id: SECOND, made_for: FIRST });
  expect(await world.order(SECOND, 'discard', FIRST)).toMatchObject({ run_id: SECOND, outcome: 'discarded' });
  await until(async () => ((await readdir(join(world.home, 'worktrees'))).length === 0 ? true : undefined));
});
