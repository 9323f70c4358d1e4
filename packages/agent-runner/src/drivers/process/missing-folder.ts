import { existsSync } from 'node:fs';

/** A process could not be started in this folder. The system says only that something does not exist. */
export class MissingFolder extends Error {
  override readonly name = 'MissingFolder';
  readonly folder: string;

  constructor(folder: string) {
    super(`the working directory ${folder} does not exist`);
    this.folder = folder;
  }
}

/** Undefined: the folder is there, so it was the program. */
export function missingFolder(folder: string): MissingFolder | undefined {
  return existsSync(folder) ? undefined : new MissingFolder(folder);
}
