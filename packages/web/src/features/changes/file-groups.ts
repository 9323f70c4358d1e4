import type { ChangedFile } from '@aizuchi/shared/contract/changes';

/** A file of the list, with its place in it. */
export interface ListedFile {
  readonly file: ChangedFile;
  readonly index: number;
  readonly name: string;
}

export interface FileGroup {
  /** '' is the top of the repository. */
  readonly folder: string;
  readonly files: readonly ListedFile[];
}

/** The files by folder, in the order in which they come. */
export function groupFiles(files: readonly ChangedFile[]): readonly FileGroup[] {
  const groups = new Map<string, ListedFile[]>();
  for (const [index, file] of files.entries()) {
    const { folder, name } = splitPath(file.path);
    groups.set(folder, [...(groups.get(folder) ?? []), { file, index, name }]);
  }
  return [...groups].map(([folder, listed]) => ({ folder, files: listed }));
}

export function splitPath(path: string): { folder: string; name: string } {
  const end = path.lastIndexOf('/');
  return { folder: path.slice(0, Math.max(end, 0)), name: path.slice(end + 1) };
}
