import { relative, resolve, sep } from 'node:path';
import { z } from 'zod';
import type { Step } from '../../turn-events.ts';

type FileDiff = NonNullable<Step['diff']>;

const hunk = z.object({
  oldStart: z.number(),
  oldLines: z.number(),
  /** Each begins with " ", "-" or "+"; "\" is a remark about the line before. */
  lines: z.array(z.string()),
});
type Hunk = z.infer<typeof hunk>;

/** What the tools Edit and Write return. */
const changedFile = z.object({
  filePath: z.string(),
  originalFile: z.string().nullish(),
  /** Of Write only: the whole new file. */
  content: z.string().optional(),
  structuredPatch: z.array(hunk),
});

/** Larger files are shown by their changed lines only, because the server cuts a long diff. */
const MAX_WHOLE_FILE_LENGTH = 24_000;

/** Undefined when the result is not that of a tool that changes a file. */
export function fileDiff(result: unknown, cwd: string): FileDiff | undefined {
  const parsed = changedFile.safeParse(result);
  if (!parsed.success) return undefined;
  const { filePath, originalFile, content, structuredPatch } = parsed.data;
  const path = shownPath(filePath, cwd);
  const before = originalFile ?? '';
  if (content !== undefined && before.length + content.length <= 2 * MAX_WHOLE_FILE_LENGTH)
    return { path, before, after: content };
  if (structuredPatch.length === 0) return undefined;
  if (before.length > 0 && before.length <= MAX_WHOLE_FILE_LENGTH)
    return { path, before, after: applied(before, structuredPatch) };
  return { path, before: sideOf(structuredPatch, '-'), after: sideOf(structuredPatch, '+') };
}

/** Relative to the working directory, when the file is in it. */
export function shownPath(path: string, cwd: string): string {
  return isInside(path, cwd) ? relative(cwd, resolve(cwd, path)) : path;
}

/** By its name: links are not followed. */
function isInside(path: string, cwd: string): boolean {
  const way = relative(cwd, resolve(cwd, path));
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`);
}

function applied(before: string, hunks: readonly Hunk[]): string {
  const lines = before.split('\n');
  const after: string[] = [];
  let next = 0;
  for (const { oldStart, oldLines, lines: changed } of hunks) {
    // A hunk that only adds counts from the line before it.
    const start = oldLines === 0 ? oldStart : oldStart - 1;
    after.push(...lines.slice(next, start), ...kept(changed, '+'));
    next = start + oldLines;
  }
  return [...after, ...lines.slice(next)].join('\n');
}

function sideOf(hunks: readonly Hunk[], side: '-' | '+'): string {
  return hunks.map(({ lines }) => kept(lines, side).join('\n')).join('\n…\n');
}

function kept(lines: readonly string[], side: '-' | '+'): string[] {
  return lines.filter((line) => line[0] === ' ' || line[0] === side).map((line) => line.slice(1));
}
