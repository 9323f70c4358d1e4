import type { ChangedFile } from '@aizuchi/shared/contract/changes';
import { CHANGES_LIMITS, type ChangeStatus } from '@aizuchi/shared/contract/changes';
import { type Git, type GitPlace, splitNul } from './git.ts';

export interface ChangedFiles {
  readonly fileCount: number;
  readonly additions: number;
  readonly deletions: number;
  readonly files: ChangedFile[];
}

const STATUSES: Readonly<Record<string, ChangeStatus>> = {
  A: 'added',
  M: 'modified',
  D: 'deleted',
  R: 'renamed',
  T: 'type_changed',
};
const RENAMES = ['-M', '-l400'];
/** More is not needed for the diffs that are shown, even if each character takes six bytes as JSON. */
const MAX_PATCH_BYTES = 4 * 1024 * 1024;

/** The files that differ between two trees, with their diffs within the limits. No program of the tree is run. */
export async function changedFiles(
  git: Git,
  place: GitPlace,
  base: string,
  tree: string,
): Promise<ChangedFiles> {
  const sides = ['--no-ext-diff', '--no-textconv', base, tree];
  const { stdout } = await git.run(['diff-tree', '-r', ...RENAMES, '-z', '--raw', '--numstat', ...sides], {
    place,
  });
  const files = parseFiles(splitNul(stdout));
  const patch = await git.run(['diff-tree', '-r', ...RENAMES, '-p', '-U3', '--no-color', ...sides], {
    place,
    maxBytes: MAX_PATCH_BYTES,
  });
  const sum = (key: 'additions' | 'deletions') => files.reduce((total, file) => total + file[key], 0);
  return {
    fileCount: files.length,
    additions: sum('additions'),
    deletions: sum('deletions'),
    files: withinLimits(files, sectionsOf(patch.stdout.toString()), patch.isCut),
  };
}

/** `:mode mode sha sha STATUS`, path, of a rename the new path; then `added TAB removed TAB path` in the same order. */
export function parseFiles(parts: readonly string[]): ChangedFile[] {
  const files: ChangedFile[] = [];
  let at = 0;
  for (; parts[at]?.startsWith(':'); at += 2) {
    const status = STATUSES[parts[at]?.split(' ')[4]?.[0] ?? ''] ?? 'modified';
    const first = parts[at + 1] ?? '';
    const numbers = { additions: 0, deletions: 0 };
    if (status === 'renamed') {
      files.push({ path: parts[at + 2] ?? '', status, oldPath: first, ...numbers });
      at += 1;
    } else files.push({ path: first, status, ...numbers });
  }
  return files.map((file) => {
    const [added = '', removed = ''] = (parts[at] ?? '').split('\t');
    at += file.status === 'renamed' ? 3 : 1;
    if (added === '-') return { ...file, isBinary: true };
    return { ...file, additions: Number(added), deletions: Number(removed) };
  });
}

/**
 * The hunks of each file. A line of a hunk never begins with `diff`, and in heads names are quoted. Only a line feed ends
 * a line: for `^` of a RegExp a carriage return inside of a line of an agent does, too.
 */
export function sectionsOf(patch: string): string[] {
  const heads = [...patch.matchAll(/(?<![^\n])diff --git /g)].map(({ index }) => index);
  return heads.map((start, index) => {
    const section = patch.slice(start, heads[index + 1]);
    const hunks = section.search(/(?<![^\n])@@ /);
    return hunks === -1 ? '' : section.slice(hunks);
  });
}

function withinLimits(
  files: readonly ChangedFile[],
  sections: readonly string[],
  isCut: boolean,
): ChangedFile[] {
  // The last section may be incomplete.
  const known = isCut ? sections.slice(0, -1) : sections;
  let next = 0;
  let diffBytes: number = CHANGES_LIMITS.diffBytes;
  let pathBytes: number = CHANGES_LIMITS.pathBytes;
  const listed: ChangedFile[] = [];
  for (const file of files.slice(0, CHANGES_LIMITS.files)) {
    // Another type is two sections: the old file goes, the new one comes.
    const count = file.status === 'type_changed' ? 2 : 1;
    const section = next + count <= known.length ? known.slice(next, next + count).join('') : undefined;
    next += count;
    pathBytes -= jsonBytes(file.path + (file.oldPath ?? ''));
    if (pathBytes < 0) break;
    const diff = section === undefined ? undefined : storable(section);
    if (file.isBinary || diff === '') listed.push(file);
    else if (diff === undefined || diffBytes <= 0) listed.push({ ...file, isCut: true });
    else {
      const { text, wasCut } = cutLines(diff, Math.min(CHANGES_LIMITS.fileDiffBytes, diffBytes));
      diffBytes -= jsonBytes(text);
      listed.push({ ...file, ...(text !== '' && { diff: text }), ...(wasCut && { isCut: true }) });
    }
  }
  return listed;
}

/** Whole lines of it, of at most so many bytes as JSON. */
export function cutLines(text: string, maxBytes: number): { text: string; wasCut: boolean } {
  if (jsonBytes(text) <= maxBytes) return { text, wasCut: false };
  let bytes = 0;
  let end = 0;
  while (end < text.length) {
    const next = text.indexOf('\n', end) + 1 || text.length;
    bytes += jsonBytes(text.slice(end, next));
    if (bytes > maxBytes) break;
    end = next;
  }
  return { text: text.slice(0, end), wasCut: true };
}

function jsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}

/** Postgres holds no U+0000; git takes a file for text that has one beyond its first 8000 bytes. */
function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD');
}
