import { readFile, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';

const packageSchema = z.object({ name: z.string(), version: z.string().max(50) });
/** From a script to the folder of its package: `dist/bin/cli.js` is two below it. */
const MAX_LEVELS = 4;

/**
 * The version of a program that a package manager has installed, from its package.json: to ask the program itself takes
 * seconds. Undefined: it is no script of a package.
 */
export async function packageVersion(file: string): Promise<string | undefined> {
  let folder = dirname(await realpath(file).catch(() => file));
  for (let level = 0; level < MAX_LEVELS; level += 1) {
    const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => undefined);
    const known = text === undefined ? undefined : parsed(text);
    if (known) return known.version;
    folder = dirname(folder);
  }
  return undefined;
}

function parsed(text: string): z.infer<typeof packageSchema> | undefined {
  try {
    return packageSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
