import type { Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';

/**
 * A path as git lists it, with one character for each byte: names on a disk need not be UTF-8, and are compared and given
 * back to git as they are. Texts for people are made by `shownName`.
 */
export type RawName = string;

/** The output of a command with `-z`. */
export function rawNames(output: Buffer): RawName[] {
  const parts = output.toString('latin1').split('\0');
  parts.pop();
  return parts;
}

/** The input of a command with `-z --stdin`. */
export function nulInput(names: readonly RawName[]): Buffer {
  return Buffer.from(names.map((name) => `${name}\0`).join(''), 'latin1');
}

/** For people: bytes that are no UTF-8 keep no more than their place. */
export function shownName(name: RawName): string {
  return Buffer.from(name, 'latin1').toString('utf8');
}

/** Looks at paths below a folder without following a link, also none among the folders of a path. */
export class Disk {
  readonly #folder: Buffer;
  /** Whether a path is a folder. */
  readonly #folders = new Map<RawName, Promise<boolean>>();

  constructor(folder: string) {
    this.#folder = Buffer.from(`${folder}/`);
  }

  /** Undefined: nothing is there. */
  async stat(name: RawName): Promise<Stats | undefined> {
    if (!(await this.#isInFolders(name))) return undefined;
    return lstat(Buffer.concat([this.#folder, Buffer.from(name, 'latin1')])).catch(() => undefined);
  }

  async #isInFolders(name: RawName): Promise<boolean> {
    const end = name.lastIndexOf('/');
    if (end === -1) return true;
    const parent = name.slice(0, end);
    const known = this.#folders.get(parent);
    if (known) return known;
    const looked = this.stat(parent).then((stats) => stats?.isDirectory() ?? false);
    this.#folders.set(parent, looked);
    return looked;
  }
}
