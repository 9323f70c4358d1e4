import { opendir } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import type { FolderEntry, FolderList } from '../../contract/folder.ts';
import { isWithin } from '../../platform/files/walk.ts';
import { singleLineFault } from '../agents/rules/single-line.ts';
import { skeletonsOf } from '../agents/rules/skeleton.ts';
import {
  hasCode,
  inFolder,
  isDirectory,
  namedPath,
  notAllowed,
  realPathOf,
  realRoots,
  rootOf,
  type WorkingDirectoryRules,
} from './working-directory.ts';

export const MAX_FOLDERS = 500;
/** Of all entries of a folder, files too: what lies behind them is not looked at. */
const MAX_ENTRIES = 10_000;

type Listed = Omit<FolderList, 'refusal'>;

/**
 * The folders in a folder that a person names, for choosing a working directory. Only inside the workspace roots, never
 * in the product's own folder; hidden folders and links are not listed, and no link is followed below a root.
 * Throws working_directory_not_allowed. Uses the disk: never call it inside a transaction.
 */
export async function listFolders(
  given: string,
  rules: WorkingDirectoryRules,
  /** For tests: between the check of the path and its use. */
  beforeUse: (path: string) => Promise<void> = async () => undefined,
): Promise<Listed & { readonly path: string }> {
  const path = await realPathOf(namedPath(given));
  if (path === undefined) throw notAllowed('missing');
  const root = await rootOf(path, rules);
  if (root === undefined) throw notAllowed('outside_roots', { roots: rules.workspaceRoots });
  const home = (await realPathOf(rules.home)) ?? resolve(rules.home);
  if (isWithin(path, home)) throw notAllowed('home');
  const way = relative(root, path).split(sep).filter(Boolean);
  if (way.some(isHidden)) throw notAllowed('hidden');
  if (!way.every(isShowable)) throw notAllowed('not_text');
  if (!(await isDirectory(path).catch(refuse))) throw notAllowed('file');
  await beforeUse(path);
  const { names, isWhole } = await namesIn(path, rules);
  const inside = names.filter((name) => !isWithin(join(path, name), home));
  const shown = inside.filter(isShowable).toSorted(byName);
  return {
    path,
    trail: [
      { name: root, path: root },
      ...way.map((name, n) => ({ name, path: join(root, ...way.slice(0, n + 1)) })),
    ],
    folders: entriesOf(path, shown.slice(0, MAX_FOLDERS)),
    isCut: !isWhole || shown.length > MAX_FOLDERS,
    leftOut: inside.length - shown.length,
  };
}

/** The workspace roots that exist. */
export async function listRoots({
  workspaceRoots,
}: Pick<WorkingDirectoryRules, 'workspaceRoots'>): Promise<Listed> {
  const known = [...new Set(await realRoots(workspaceRoots))];
  return {
    trail: [],
    folders: known
      .slice(0, MAX_FOLDERS)
      .map((path) => ({ name: path, path, looksLikeAnother: false }) satisfies FolderEntry),
    isCut: known.length > MAX_FOLDERS,
    leftOut: 0,
  };
}

/** The folders in it that are not hidden: read through a descriptor, so a later change of the path has no effect. */
async function namesIn(
  path: string,
  rules: WorkingDirectoryRules,
): Promise<{ readonly names: readonly string[]; readonly isWhole: boolean }> {
  const read = inFolder(path, rules, async (folder) => {
    const names: string[] = [];
    let seen = 0;
    for await (const entry of await opendir(folder.self, { bufferSize: 256 })) {
      if (++seen > MAX_ENTRIES) break;
      if (entry.isDirectory() && !isHidden(entry.name)) names.push(entry.name);
    }
    if (!(await folder.isInPlace())) throw notAllowed('changed');
    return { names, isWhole: seen <= MAX_ENTRIES };
  });
  return read.catch(refuse);
}

function refuse(error: unknown): never {
  if (hasCode(error, 'EACCES', 'EPERM')) throw notAllowed('cannot_follow', { cause: error });
  if (hasCode(error, 'ENOENT', 'ENOTDIR')) throw notAllowed('changed', { cause: error });
  throw error;
}

function entriesOf(path: string, names: readonly string[]): FolderEntry[] {
  const skeletons = names.map((name) => new Set(skeletonsOf(name)));
  const known = new Map<string, number>();
  for (const skeleton of skeletons.flatMap((of) => [...of]))
    known.set(skeleton, (known.get(skeleton) ?? 0) + 1);
  return names.map((name, n) => ({
    name,
    path: join(path, name),
    looksLikeAnother: [...(skeletons[n] ?? [])].some((skeleton) => (known.get(skeleton) ?? 0) > 1),
  }));
}

const isHidden = (name: string) => name.startsWith('.');

/**
 * The name shows every character in it. In one that is not UTF-8 Node shows U+FFFD: a path made from it leads elsewhere. So
 * does one with spaces at its end, which a path that a person writes loses.
 */
const isShowable = (name: string) =>
  !name.includes('\uFFFD') && singleLineFault(name) === undefined && name === name.trim();

const { compare } = new Intl.Collator('und', { numeric: true });
const byName = (a: string, b: string) => compare(a, b) || (a < b ? -1 : 1);
