import {
  chmod,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { ScriptedRefusal } from '@aizuchi/shared/testing/scripted-mcp-server';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from './coordinator-host.ts';
import { WorktreeWorld } from './worktree-world.ts';

const RUN = 'run_1';

let world: WorktreeWorld;
beforeEach(async () => {
  world = await WorktreeWorld.create();
});
afterEach(() => world.close());

/** The worktree, its branch and its entry in the repository are gone. */
async function untilRemoved(runId = RUN): Promise<void> {
  await until(async () =>
    (await readdir(join(world.home, 'worktrees'))).includes(runId) ? undefined : true,
  );
  expect(await world.git(['branch', '--list', 'aizuchi/*'])).toBe('');
  expect((await world.git(['worktree', 'list'])).split('\n')).toHaveLength(1);
}

async function statusOf(): Promise<string> {
  return world.git(['status', '--porcelain']);
}

describe('a worktree', () => {
  test('is made on a branch of its own and begins as the commit that is checked out', async () => {
    await world.repository();
    await world.write({ 'a.txt': 'not committed\n' });
    const files = await world.start(RUN);
    expect(files).toBe(join(world.home, 'worktrees', RUN, 'files'));
    expect(await world.read('a.txt', files)).toBe('one\ntwo\nthree\n');
    expect(await world.git(['status', '--porcelain', '-b'], files)).toBe(`## aizuchi/${RUN}`);
    expect(await world.read('a.txt')).toBe('not committed\n');
    const [made] = world.server.callsOf('report_changes');
    expect(made?.args).toMatchObject({
      run_id: RUN,
      outcome: 'seen',
      branch: `aizuchi/${RUN}`,
      into: 'main',
      base: await world.git(['rev-parse', 'HEAD']),
    });
  });

  test('shows what changed: new, changed, deleted, renamed, binary files, with diffs', async () => {
    await world.repository({
      'a.txt': 'one\ntwo\nthree\n',
      'gone.txt': 'gone\n',
      'old name.txt': 'a long enough text\nto be recognised\n',
      'bin.dat': 'a\0b',
      'dir/日本 語.txt': 'はい\n',
      '.gitignore': 'ignored\n',
    });
    const files = await world.start(RUN);
    await world.write(
      {
        'a.txt': 'one\n2\nthree\n',
        'new\nline.txt': 'new\n',
        'dir/日本 語.txt': 'いいえ\n',
        'bin.dat': 'a\0c',
        ignored: 'x',
        'forced/ignored': 'x\n',
      },
      files,
    );
    await world.git(['mv', 'old name.txt', 'new name.txt'], files);
    await world.git(['rm', '-q', 'gone.txt'], files);
    await world.git(['add', '-f', 'forced/ignored'], files);
    await world.git(['commit', '-q', '-m', 'half of it'], files);
    const { seen } = await world.order(RUN, 'look');
    expect(seen).toMatchObject({ fileCount: 7, additions: 4, deletions: 3, leftOut: [] });
    expect(seen?.files.map(({ path, status }) => `${status} ${path}`).toSorted()).toEqual([
      'added forced/ignored',
      'added new\nline.txt',
      'deleted gone.txt',
      'modified a.txt',
      'modified bin.dat',
      'modified dir/日本 語.txt',
      'renamed new name.txt',
    ]);
    const of = (path: string) => seen?.files.find((file) => file.path === path);
    expect(of('a.txt')?.diff).toBe('@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n');
    expect(of('new name.txt')).toEqual({
      path: 'new name.txt',
      status: 'renamed',
      oldPath: 'old name.txt',
      additions: 0,
      deletions: 0,
    });
    expect(of('bin.dat')).toMatchObject({ isBinary: true });
    expect(of('dir/日本 語.txt')?.diff).toContain('+いいえ');
  });

  test('that holds no change is removed when its run ends', async () => {
    await world.repository();
    await world.start(RUN);
    expect(await world.end(RUN)).toMatchObject({ outcome: 'unchanged' });
    await untilRemoved();
  });

  test('that holds one is reported and stays', async () => {
    await world.repository();
    const files = await world.start(RUN);
    await world.write({ 'b.txt': 'new\n' }, files);
    expect(await world.end(RUN)).toMatchObject({ outcome: 'seen', seen: { fileCount: 1, additions: 1 } });
    expect(await world.read('b.txt', files)).toBe('new\n');
  });

  test('of which the diffs are too large is shown without them', async () => {
    await world.repository();
    const files = await world.start(RUN);
    const lines = 'a line with some text\n'.repeat(10_000);
    const many = Array.from({ length: 12 }, (_, n) => [`f${n}.txt`, lines] as const);
    await world.write(Object.fromEntries(many), files);
    const { seen } = await world.order(RUN, 'look');
    expect(seen).toMatchObject({ fileCount: 12, additions: 120_000 });
    expect(JSON.stringify(seen).length).toBeLessThan(700_000);
    expect(seen?.files.every(({ isCut }) => isCut)).toBe(true);
    expect(seen?.files[0]?.diff).toMatch(/^@@ -0,0 \+1,10000 @@\n(?:\+a line with some text\n)+$/);
    expect(seen?.files[11]?.diff).toBeUndefined();
  });

  test('that is gone from the disk is reported as lost', async () => {
    await world.repository();
    await world.start(RUN);
    expect(await world.order('run_unknown', 'look')).toMatchObject({ outcome: 'lost' });
  });
});

describe('what cannot have a worktree says so', () => {
  test('no repository; a folder below one counts as none', async () => {
    await world.write({ 'a.txt': 'a' });
    await expect(world.start(RUN)).rejects.toThrow(/is no git repository\. Run git init there/);
    await world.repository();
    await world.write({ 'below/a.txt': 'a' });
    await expect(world.start(RUN, { working_directory: join(world.project, 'below') })).rejects.toThrow(
      /below is no git repository/,
    );
  });

  test('a bare one', async () => {
    await world.git(['init', '-q', '--bare']);
    await expect(world.start(RUN)).rejects.toThrow(/is a bare repository/);
  });

  test('one without a commit', async () => {
    await world.git(['init', '-q']);
    await expect(world.start(RUN)).rejects.toThrow(/has no commit yet/);
  });

  test('one that the agents cannot write; what was begun is removed', async () => {
    await world.repository();
    await chmod(join(world.project, '.git'), 0o555);
    await expect(world.start(RUN)).rejects.toThrow(/^No worktree of .*Permission denied/);
    await chmod(join(world.project, '.git'), 0o755);
    await world.worktrees.ended(RUN);
    await untilRemoved();
  });

  test('a run that is to have none works in the folder of the project', async () => {
    expect(await world.start(RUN, { worktree: false })).toBe(world.project);
  });
});

describe('kept', () => {
  test('it is a merge commit with the commits of the agent and what it has not committed', async () => {
    await world.repository();
    const files = await world.start(RUN);
    await world.write({ 'b.txt': 'committed\n' }, files);
    await world.git(['add', '-A'], files);
    await world.git(['commit', '-q', '-m', 'of the agent'], files);
    await world.write({ 'c d.txt': 'not committed\n', 'a.txt': 'one\n2\nthree\n' }, files);
    await world.commit({ 'p.txt': 'of the person\n' }, 'meanwhile');
    await world.write({ 'u.txt': 'untracked\n', 'p.txt': 'not committed\n' });
    await world.end(RUN);
    expect(await world.order(RUN, 'keep')).toMatchObject({ outcome: 'kept', seen: { fileCount: 3 } });
    expect(await world.read('a.txt')).toBe('one\n2\nthree\n');
    expect(await world.read('b.txt')).toBe('committed\n');
    expect(await world.read('c d.txt')).toBe('not committed\n');
    expect(await world.read('p.txt'), 'what the person has not committed stays').toBe('not committed\n');
    expect(await statusOf()).toBe('M p.txt\n?? u.txt');
    expect(await world.git(['log', '--format=%s', '--first-parent'])).toBe(
      `Merge aizuchi/${RUN}\nmeanwhile\nfirst`,
    );
    expect(await world.git(['log', '--format=%s', 'HEAD^1..HEAD^2'])).toBe('Work of agt_1\nof the agent');
    await untilRemoved();
    await world.git(['fsck', '--strict']);
  });

  test('twice gives the same answer and merges once', async () => {
    await world.repository();
    const files = await world.start(RUN);
    await world.write({ 'b.txt': 'b\n' }, files);
    await world.end(RUN);
    expect(await world.order(RUN, 'keep')).toMatchObject({ outcome: 'kept' });
    await untilRemoved();
    expect(await world.git(['rev-list', '--count', 'HEAD'])).toBe('3');
  });

  test.each(['before the record', 'between the files and the branch'])(
    'after a crash %s it is done once',
    async (when) => {
      await world.repository({ 'a.txt': 'a\n', 'src/x.txt': 'x\n', 'src/y.txt': 'y\n' });
      const files = await world.start(RUN);
      await world.write({ 'b.txt': 'b\n', 'a.txt': 'changed\n' }, files);
      // git refuses paths behind a link.
      await rename(join(files, 'src'), join(files, 'lib'));
      await symlink('lib', join(files, 'src'));
      await world.end(RUN);
      const before = await world.git(['rev-parse', 'HEAD']);
      // The server is away: what was done is not recorded there.
      await world.server.crash();
      world.worktrees.carryOut({ run_id: RUN, order: 'keep', number: 900 });
      await until(async () => ((await world.git(['rev-parse', 'HEAD'])) === before ? undefined : true));
      const description = join(world.home, 'worktrees', RUN, 'worktree.json');
      await until(async () => ((await world.read(description, '/')).includes('"done"') ? true : undefined));
      world.restart();
      // The crash came before this was written.
      const { done, ...worktree } = JSON.parse(await world.read(description, '/'));
      expect(done).toBe('kept');
      await writeFile(description, JSON.stringify(worktree));
      if (when !== 'before the record') await world.git(['update-ref', 'HEAD', before]);
      await world.server.start();
      expect(await world.order(RUN, 'keep')).toMatchObject({ outcome: 'kept' });
      expect(await statusOf()).toBe('');
      expect(await world.git(['rev-list', '--count', 'HEAD'])).toBe('3');
      await untilRemoved();
    },
  );

  test('a link that leads out of the tree is kept as a link, and nothing is written through it', async () => {
    await world.repository({ 'dir/x.txt': 'x\n', 'a.txt': 'a\n' });
    const outside = join(world.home, '..', 'outside');
    await mkdir(outside);
    await chmod(outside, 0o777);
    const files = await world.start(RUN);
    await symlink(outside, join(files, 'link'));
    await world.write({ 'dir/y.txt': 'y\n' }, files);
    // The person has replaced the folder by a link meanwhile.
    await world.git(['mv', 'dir', 'elsewhere']);
    await symlink(outside, join(world.project, 'dir'));
    await world.end(RUN);
    const report = await world.order(RUN, 'keep');
    expect(report.outcome).toBe('conflict');
    expect(await readdir(outside)).toEqual([]);
    expect((await lstat(join(world.project, 'dir'))).isSymbolicLink()).toBe(true);
    await world.git(['reset', '-q', '--hard']);
    expect(await world.order(RUN, 'keep')).toMatchObject({ outcome: 'kept' });
    expect(await readlink(join(world.project, 'link'))).toBe(outside);
    expect(await readdir(outside)).toEqual([]);
    await untilRemoved();
  });
});

describe('kept with what a file system allows', () => {
  test('a folder that became a link to a folder with the same files', async () => {
    await world.repository({ 'src/a.txt': 'a\n', 'src/b.txt': 'b\n', 'c.txt': 'c\n' });
    const files = await world.start(RUN);
    await rename(join(files, 'src'), join(files, 'lib'));
    await symlink('lib', join(files, 'src'));
    await world.write({ 'lib/b.txt': 'changed\n' }, files);
    const seen = await world.end(RUN);
    expect(seen).toMatchObject({ outcome: 'seen' });
    expect(await world.order(RUN, 'keep')).toMatchObject({ outcome: 'kept' });
    expect(await readlink(join(world.project, 'src'))).toBe('lib');
    expect(await world.read('lib/b.txt')).toBe('changed\n');
    expect(await statusOf()).toBe('');
    expect(await world.git(['ls-files'])).toBe('c.txt\nlib/a.txt\nlib/b.txt\nsrc');
    await untilRemoved();
  });

  test('the same where the link is ignored: the files of the folder are gone', async () => {
    await world.repository({ 'src/a.txt': 'a\n', 'c.txt': 'c\n' });
    await world.commit({ '.gitignore': '/src\n/lib\n' }, 'ignored from now on');
    const files = await world.start(RUN);
    await mkdir(join(files, 'lib'));
    await rename(join(files, 'src/a.txt'), join(files, 'lib/a.txt'));
    await rm(join(files, 'src'), { recursive: true });
    await symlink('lib', join(files, 'src'));
    expect(await world.end(RUN)).toMatchObject({ outcome: 'seen' });
    expect(await world.order(RUN, 'keep')).toMatchObject({ outcome: 'kept' });
    expect(await world.git(['ls-files'])).toBe('.gitignore\nc.txt');
    await untilRemoved();
  });

  test('names that are no UTF-8', async () => {
    await world.repository();
    const latin = (folder: string, name: string) =>
      Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name, 'latin1')]);
    await writeFile(latin(world.project, 'caf\u00e9'), 'one\n');
    await world.own(latin(world.project, 'caf\u00e9'));
    await world.git(['add', '-A']);
    await world.git(['commit', '-q', '-m', 'latin']);
    const files = await world.start(RUN);
    await writeFile(latin(files, 'caf\u00e9'), 'two\n');
    await writeFile(latin(files, 'na\u00efve'), 'new\n');
    const { seen } = await world.end(RUN);
    expect(seen).toMatchObject({ fileCount: 2, additions: 2, deletions: 1 });
    expect(await world.order(RUN, 'keep')).toMatchObject({ outcome: 'kept' });
    expect(await readFile(latin(world.project, 'caf\u00e9'), 'utf8')).toBe('two\n');
    expect(await readFile(latin(world.project, 'na\u00efve'), 'utf8')).toBe('new\n');
    expect(await statusOf()).toBe('');
    await untilRemoved();
  });

  test('not over such a name that a person has not committed', async () => {
    await world.repository();
    const files = await world.start(RUN);
    const name = Buffer.from('/na\u00efve', 'latin1');
    await writeFile(Buffer.concat([Buffer.from(files), name]), 'new\n');
    await world.end(RUN);
    const mine = Buffer.concat([Buffer.from(world.project), name]);
    await writeFile(mine, 'mine\n');
    await world.own(mine);
    expect(await world.order(RUN, 'keep')).toMatchObject({
      outcome: 'conflict',
      conflict: { reason: 'uncommitted', pathCount: 1 },
    });
    expect(await readFile(mine, 'utf8')).toBe('mine\n');
  });

  test('a file became a folder, and a folder a file', async () => {
    await world.repository({ x: 'x\n', 'y/z': 'z\n', 'a.txt': 'a\n' });
    const files = await world.start(RUN);
    await rm(join(files, 'x'));
    await rm(join(files, 'y'), { recursive: true });
    await world.write({ 'x/in': 'in\n', y: 'file\n' }, files);
    await world.end(RUN);
    expect(await world.order(RUN, 'keep')).toMatchObject({ outcome: 'kept' });
    expect(await world.read('x/in')).toBe('in\n');
    expect(await world.read('y')).toBe('file\n');
    expect(await statusOf()).toBe('');
    await untilRemoved();
  });
});

describe('in conflict nothing is touched', () => {
  test('a person has replaced a folder of changed files by a link', async () => {
    await world.repository({ 'src/a.txt': 'a\n', 'c.txt': 'c\n' });
    const files = await world.start(RUN);
    await world.write({ 'src/a.txt': 'of the agent\n', 'src/new.txt': 'new\n' }, files);
    await world.end(RUN);
    await rename(join(world.project, 'src'), join(world.project, 'lib'));
    await symlink('lib', join(world.project, 'src'));
    await refuses({ reason: 'uncommitted' });
    expect(await world.read('lib/a.txt')).toBe('a\n');
    expect(await readdir(join(world.project, 'lib'))).toEqual(['a.txt']);
  });

  async function changedByBoth(): Promise<void> {
    await world.repository({ 'a.txt': 'one\ntwo\nthree\n', 'b.txt': 'b\n' });
    const files = await world.start(RUN);
    await world.write({ 'a.txt': 'one\n2\nthree\n', 'new.txt': 'of the agent\n' }, files);
    await world.end(RUN);
  }

  async function refuses(conflict: object): Promise<void> {
    const before = [await world.git(['rev-parse', 'HEAD']), await statusOf(), await world.git(['diff'])];
    expect(await world.order(RUN, 'keep')).toMatchObject({ outcome: 'conflict', conflict });
    expect([await world.git(['rev-parse', 'HEAD']), await statusOf(), await world.git(['diff'])]).toEqual(
      before,
    );
  }

  test('the same lines were changed', async () => {
    await changedByBoth();
    await world.commit({ 'a.txt': 'one\nzwei\nthree\n' }, 'meanwhile');
    await refuses({ reason: 'merge', paths: ['a.txt'], pathCount: 1 });

    // By hand: the branch has everything, and what was merged is found merged.
    await expect(world.git(['merge', `aizuchi/${RUN}`])).rejects.toThrow();
    expect(await world.read('new.txt')).toBe('of the agent\n');
    expect(await world.order(RUN, 'keep')).toMatchObject({ conflict: { reason: 'busy' } });
    await world.commit({ 'a.txt': 'one\n2 zwei\nthree\n' }, 'by hand');
    expect(await world.order(RUN, 'keep')).toMatchObject({ outcome: 'kept' });
    expect(await world.git(['log', '--format=%s', '-1'])).toBe('by hand');
    await untilRemoved();
  });

  test('a changed path has changes that are not committed, staged or not', async () => {
    await changedByBoth();
    await world.write({ 'a.txt': 'mine\n' });
    await refuses({ reason: 'uncommitted', paths: ['a.txt'] });
    await world.git(['add', 'a.txt']);
    await refuses({ reason: 'uncommitted', paths: ['a.txt'] });
    await world.git(['reset', '-q', '--hard']);
    expect(await world.order(RUN, 'keep')).toMatchObject({ outcome: 'kept' });
    await untilRemoved();
  });

  test('an untracked file has the name of a new one, also an ignored one', async () => {
    await changedByBoth();
    await world.write({ 'new.txt': 'mine\n' });
    await refuses({ reason: 'uncommitted', paths: ['new.txt'] });
    await world.write({ '.git/info/exclude': 'new.txt\n' });
    await refuses({ reason: 'uncommitted', paths: ['new.txt'] });
    expect(await world.read('new.txt')).toBe('mine\n');
  });

  test('an untracked folder has the name of a new file', async () => {
    await changedByBoth();
    await world.write({ 'new.txt/mine': 'mine\n' });
    await refuses({ reason: 'uncommitted' });
    expect(await world.read('new.txt/mine')).toBe('mine\n');
  });

  test('another branch is checked out, or another git process is at work', async () => {
    await changedByBoth();
    await world.git(['checkout', '-q', '-b', 'other']);
    await refuses({ reason: 'branch', branch: 'other' });
    await world.git(['checkout', '-q', 'main']);
    await world.write({ '.git/MERGE_HEAD': '' });
    await refuses({ reason: 'busy', paths: ['.git/MERGE_HEAD'] });
  });
});

test('discarded, it is gone and the folder of the project is as it was', async () => {
  await world.repository();
  const files = await world.start(RUN);
  await world.write({ 'b.txt': 'b\n', 'locked/x': 'x' }, files);
  await chmod(join(files, 'locked'), 0);
  await world.end(RUN);
  expect(await world.order(RUN, 'discard')).toMatchObject({ outcome: 'discarded' });
  await untilRemoved();
  expect(await statusOf()).toBe('');
});

test('what a crash has left is reported by the next Coordinator', async () => {
  await world.repository();
  const files = await world.start(RUN);
  await world.start('run_2');
  await world.write({ 'b.txt': 'b\n' }, files);
  world.restart();
  await world.worktrees.recover(await world.worktrees.left());
  const last = (runId: string) =>
    world.server.callsOf('report_changes').findLast(({ args }) => args.run_id === runId)?.args;
  await expect.poll(() => last(RUN)).toMatchObject({ outcome: 'seen', seen: { fileCount: 1 } });
  await expect.poll(() => last('run_2')).toMatchObject({ outcome: 'unchanged' });
});

test('of which the server refuses the report it is not worked on again and again, and nothing is removed', async () => {
  await world.repository();
  const files = await world.start(RUN);
  await world.write({ 'b.txt': 'b\n' }, files);
  await world.end(RUN);
  const refuse = () => {
    throw new ScriptedRefusal('invalid_input');
  };
  const { report_changes: accept } = world.server.script;
  world.server.script.report_changes = refuse;
  expect(await world.order(RUN, 'keep')).toMatchObject({ outcome: 'kept', number: 1 });
  const before = world.server.callsOf('report_changes').length;
  // What is in turn behind the order has begun, so the order is over.
  await world.worktrees.ended(RUN);
  expect(await readdir(join(world.home, 'worktrees', RUN))).toContain('worktree.json');
  expect(world.server.callsOf('report_changes')).toHaveLength(before + 1);
  // The server names the order as long as it has no report.
  expect(world.worktrees.carryOut({ run_id: RUN, order: 'keep', number: 1 })).toBe(false);
  if (accept) world.server.script.report_changes = accept;
  world.restart();
  await world.worktrees.recover(await world.worktrees.left());
  await untilRemoved();
});
