/** Which runs work in a worktree of their own: those of providers that read and write files. */
export function needsWorktree(
  isolation: 'shared' | 'worktree',
  provider: { readonly worksInFolder: boolean },
): boolean {
  return isolation === 'worktree' && provider.worksInFolder;
}

/** What is reported of a worktree is bounded: it is one call, and one page. */
export const CHANGES_LIMITS = {
  /** Files that are listed; more are counted only. */
  files: 500,
  /** Bytes of the diff of one file; a longer one is cut. */
  fileDiffBytes: 64 * 1024,
  /** Bytes of all diffs as JSON; files after that are listed without. */
  diffBytes: 512 * 1024,
  /** Bytes of all paths as JSON. */
  pathBytes: 128 * 1024,
  /** Paths of a conflict, and of what is left out: how many, and their bytes as JSON. */
  paths: 100,
  listBytes: 64 * 1024,
} as const;

/**
 * Where keeping meets something: paths that both changed; changes of the folder that are not committed; another
 * branch than that from which the worktree was made; a merge, rebase or other git process that is under way.
 */
export const CONFLICT_REASONS = ['merge', 'uncommitted', 'branch', 'busy'] as const;
export type ConflictReason = (typeof CONFLICT_REASONS)[number];

export const CHANGE_STATUSES = ['added', 'modified', 'deleted', 'renamed', 'type_changed'] as const;
export type ChangeStatus = (typeof CHANGE_STATUSES)[number];

/** Why something in the worktree is no change: a repository inside of it, a submodule, no file or link. */
export const LEFT_OUT_REASONS = ['repository', 'submodule', 'special'] as const;
