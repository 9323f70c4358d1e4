import { mkdir, realpath, rmdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { AppError } from '../../platform/errors.ts';
import { nodeFileSystem } from '../../platform/files/file-system.ts';
import { FolderFault, type PinnedFolder } from '../../platform/files/pinned-folder.ts';
import { isWithin, openFolder } from '../../platform/files/walk.ts';
import { isPathText } from '../rules/storable-text.ts';

export interface WorkingDirectoryRules {
  /** Where working directories may lie. */
  readonly workspaceRoots: readonly string[];
  /** The product's own folder: a working directory is never inside it or around it. */
  readonly home: string;
}

export interface PreparedDirectory {
  /** The real path: links are resolved. */
  readonly path: string;
  /** We made it, so agents may become the owners of the whole folder. */
  readonly made: boolean;
}

/** Throws when the folder may not be used; runs before anything is made. */
type Check = (path: string) => Promise<void>;
const anyPlace: Check = async () => undefined;

/**
 * The real path of a folder that a person names; the folder is made when only its last part is missing.
 * Throws working_directory_not_allowed with the violated rule. Uses the disk: never call it inside a
 * transaction.
 */
export async function prepareWorkingDirectory(
  given: string,
  rules: WorkingDirectoryRules,
  check: Check = anyPlace,
): Promise<PreparedDirectory> {
  const wanted = namedPath(given);
  const existing = await realPathOf(wanted);
  if (existing !== undefined) {
    await checkPlace(existing, rules);
    if (!(await isDirectory(existing))) throw notAllowed('file');
    await check(existing);
    return { path: existing, made: false };
  }
  const parent = await realPathOf(dirname(wanted));
  if (parent === undefined || !(await isDirectory(parent))) throw notAllowed('parent_missing');
  const path = join(parent, basename(wanted));
  await checkPlace(path, rules);
  await check(path);
  const made = await inFolder(parent, rules, (above) => make(above.at(basename(path))));
  // Checked again: a link may have been put there in between.
  if ((await realPathOf(path)) !== path) throw notAllowed('changed');
  return { path, made };
}

/** `<first root>/Aizuchi/<id>`, for a project that names no folder. */
export async function prepareDefaultDirectory(
  projectId: string,
  rules: WorkingDirectoryRules,
  check: Check = anyPlace,
): Promise<PreparedDirectory> {
  const [root] = rules.workspaceRoots;
  if (root === undefined) throw notAllowed('no_roots');
  const parent = join(root, 'Aizuchi');
  if ((await realPathOf(root)) === undefined) throw notAllowed('root_missing');
  // Not writable for the group either: an account that may rename in it can exchange the folder of one
  // project for that of another.
  await make(parent, 0o755);
  return prepareWorkingDirectory(join(parent, projectId), rules, check);
}

/** Removes a folder that was made for a project that then could not be stored; only while it is empty. */
export async function discardDirectory(
  directory: PreparedDirectory,
  rules: Pick<WorkingDirectoryRules, 'workspaceRoots'>,
): Promise<void> {
  if (!directory.made) return;
  const { path } = directory;
  await inFolder(dirname(path), rules, (above) => rmdir(above.at(basename(path)))).catch((error: unknown) => {
    if (!(error instanceof AppError || hasCode(error, 'ENOENT', 'ENOTEMPTY', 'EEXIST', 'ENOTDIR')))
      throw error;
  });
}

/**
 * Does the work in a folder that was opened without following a link: a later change of the path has no
 * effect.
 */
export async function inFolder<T>(
  path: string,
  { workspaceRoots }: Pick<WorkingDirectoryRules, 'workspaceRoots'>,
  work: (folder: PinnedFolder) => Promise<T>,
): Promise<T> {
  const folder = await openFolder(path, workspaceRoots, { fileSystem: nodeFileSystem }).catch(
    (error: unknown) => {
      throw error instanceof FolderFault ? notAllowed('parent_gone') : error;
    },
  );
  try {
    return await work(folder);
  } finally {
    await folder.close();
  }
}

/** Throws when a working directory may not lie at this real path. */
export async function checkPlace(path: string, rules: WorkingDirectoryRules): Promise<void> {
  // In a name that is not UTF-8 Node shows U+FFFD: a path made from it leads elsewhere.
  if (!isPathText(path) || path.includes('\uFFFD')) throw notAllowed('not_text');
  if (dirname(path) === path) throw notAllowed('file_system_root');
  const home = (await realPathOf(rules.home)) ?? resolve(rules.home);
  if (isWithin(path, home) || isWithin(home, path)) throw notAllowed('home');
  if ((await rootOf(path, rules)) === undefined)
    throw notAllowed('outside_roots', { roots: rules.workspaceRoots });
}

/** The real path of the outermost root that contains this real path. */
export async function rootOf(
  path: string,
  { workspaceRoots }: Pick<WorkingDirectoryRules, 'workspaceRoots'>,
): Promise<string | undefined> {
  const roots = await realRoots(workspaceRoots);
  return roots.filter((root) => isWithin(path, root)).toSorted((a, b) => a.length - b.length)[0];
}

/** One that does not exist or cannot be reached, as on a mount that is away, is no obstacle to the others. */
export async function realRoots(workspaceRoots: readonly string[]): Promise<readonly string[]> {
  const roots = await Promise.all(workspaceRoots.map((root) => realpath(root).catch(() => undefined)));
  return roots.filter((root) => root !== undefined);
}

/** The full path that a person names. Throws working_directory_not_allowed. */
export function namedPath(given: string): string {
  const named = withHome(given.trim());
  if (!isAbsolute(named) || named.includes('\u0000')) throw notAllowed('relative');
  return resolve(named);
}

/** False: another process was faster, or it existed already. */
async function make(path: string, mode = 0o777): Promise<boolean> {
  try {
    await mkdir(path, mode);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    if (hasCode(error, 'EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'ENAMETOOLONG', 'ENOTDIR', 'ENOENT'))
      throw notAllowed('cannot_make', { cause: error });
    throw error;
  }
}

export async function realPathOf(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
    if (hasCode(error, 'EACCES', 'EPERM', 'ELOOP', 'ENAMETOOLONG'))
      throw notAllowed('cannot_follow', { cause: error });
    throw error;
  }
}

export async function isDirectory(path: string): Promise<boolean> {
  return (await stat(path)).isDirectory();
}

/** Why a folder may not be used: the page says it in the language of the reader. */
const REASONS = {
  relative: 'It must be an absolute path.',
  file: 'It is a file, not a folder.',
  parent_missing: 'The folder above it does not exist. Make that one first.',
  parent_gone: 'A folder above it is not there any more.',
  changed: 'It was changed at this moment.',
  no_roots: 'No workspace root is set (AIZUCHI_WORKSPACE_ROOTS).',
  root_missing: 'The first workspace root does not exist.',
  not_text: 'Its real path is not readable text.',
  file_system_root: 'It must not be the root of the file system.',
  home: "It must not lie in or around the product's own folder (AIZUCHI_HOME).",
  outside_roots: 'It must lie inside the workspace roots (AIZUCHI_WORKSPACE_ROOTS).',
  missing: 'It does not exist.',
  hidden: 'Folders whose name begins with a dot are not listed.',
  cannot_make: 'The folder cannot be made there.',
  cannot_follow: 'The path cannot be followed.',
  inside_used: "It lies inside another project's folder.",
  around_used: "Another project's folder lies inside it.",
} as const;

export function notAllowed(
  reason: keyof typeof REASONS,
  { cause, roots }: { readonly cause?: unknown; readonly roots?: readonly string[] } = {},
): AppError {
  return new AppError(
    'working_directory_not_allowed',
    `This working directory is not allowed. ${REASONS[reason]}`,
    {
      details: { reason, ...(roots && { roots: roots.join(', ') }) },
      ...(cause !== undefined && { cause }),
    },
  );
}

/** `~` and `~/…` as people write them: the home of the account that the services run as. */
function withHome(given: string): string {
  return given === '~' || given.startsWith('~/') ? join(homedir(), given.slice(1)) : given;
}

export function hasCode(error: unknown, ...codes: string[]): boolean {
  return (
    error instanceof Error && 'code' in error && typeof error.code === 'string' && codes.includes(error.code)
  );
}
