import { expect, test } from 'vitest';
import { fileDiff, shownPath } from './file-diff.ts';

const CWD = '/work/project';
const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`);

test('an edited file is shown whole, with every hunk applied', () => {
  const before = lines(9).join('\n');
  const diff = fileDiff(
    {
      filePath: '/work/project/src/a.ts',
      originalFile: before,
      structuredPatch: [
        {
          oldStart: 1,
          oldLines: 2,
          newStart: 1,
          newLines: 3,
          lines: [' line 1', '-line 2', '+two', '+and a half'],
        },
        {
          oldStart: 8,
          oldLines: 2,
          newStart: 9,
          newLines: 1,
          lines: [' line 8', '-line 9', '\\ No newline'],
        },
      ],
    },
    CWD,
  );
  expect(diff).toEqual({
    path: 'src/a.ts',
    before,
    after: ['line 1', 'two', 'and a half', ...lines(8).slice(2)].join('\n'),
  });
});

test('lines that were only added come after the line that the hunk names', () => {
  const patch = [{ oldStart: 2, oldLines: 0, newStart: 3, newLines: 1, lines: ['+new'] }];
  const diff = fileDiff({ filePath: '/x', originalFile: 'a\nb\nc', structuredPatch: patch }, CWD);
  expect(diff?.after).toBe('a\nb\nnew\nc');
});

test('of a large file, or one that is not given, only the changed lines are shown', () => {
  const structuredPatch = [
    { oldStart: 5, oldLines: 2, newStart: 5, newLines: 2, lines: [' a', '-b', '+c'] },
    { oldStart: 50, oldLines: 1, newStart: 50, newLines: 1, lines: ['-d', '+e'] },
  ];
  for (const originalFile of [null, 'x'.repeat(100_000)])
    expect(fileDiff({ filePath: '/etc/big', originalFile, structuredPatch }, CWD)).toEqual({
      path: '/etc/big',
      before: 'a\nb\n…\nd',
      after: 'a\nc\n…\ne',
    });
});

test('a written file has its content, and what was there before', () => {
  const written = { filePath: '/work/project/b', content: 'new', structuredPatch: [] };
  expect(fileDiff({ ...written, originalFile: null }, CWD)).toMatchObject({ before: '', after: 'new' });
  expect(fileDiff({ ...written, originalFile: 'old' }, CWD)).toMatchObject({ before: 'old', after: 'new' });
});

test.each([undefined, 'Error: no', { stdout: 'x' }, { filePath: 3 }])(
  '%j is no change of a file',
  (result) => {
    expect(fileDiff(result, CWD)).toBeUndefined();
  },
);

test('a path is relative to the working directory only inside of it', () => {
  expect(shownPath('/work/project/a/b', CWD)).toBe('a/b');
  expect(shownPath('/work/projects/a', CWD)).toBe('/work/projects/a');
  expect(shownPath('/work/project/..a', CWD)).toBe('..a');
  expect(shownPath('/work/project', CWD)).toBe('/work/project');
});
