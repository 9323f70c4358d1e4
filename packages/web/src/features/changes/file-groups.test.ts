import { expect, test } from 'vitest';
import { groupFiles, splitPath } from './file-groups.ts';

const file = (path: string) => ({ path, status: 'modified' as const, additions: 1, deletions: 0 });

test('files are grouped by folder and keep their place in the list', () => {
  const groups = groupFiles([file('a.ts'), file('src/b.ts'), file('c.ts'), file('src/deep/d.ts')]);
  expect(
    groups.map(({ folder, files }) => [folder, files.map(({ name, index }) => `${index} ${name}`)]),
  ).toEqual([
    ['', ['0 a.ts', '2 c.ts']],
    ['src', ['1 b.ts']],
    ['src/deep', ['3 d.ts']],
  ]);
});

test('a path at the top has no folder', () => {
  expect(splitPath('a b.ts')).toEqual({ folder: '', name: 'a b.ts' });
});
