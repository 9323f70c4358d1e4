import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Writes a file so that it exists as a whole or not at all, also after a loss of power: without the first
 * fsync the new name can stand for an empty file, without the second the name can be missing. Own code:
 * write-file-atomic does only the first fsync.
 */
export async function writeDurably(file: string, text: string): Promise<void> {
  const partial = `${file}.partial`;
  const handle = await open(partial, 'w', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(partial, file);
  const folder = await open(dirname(file), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
