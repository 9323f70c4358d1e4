import { randomUUID } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeDurably } from './durable-file.ts';

const UUID = /^[0-9a-f-]{36}$/;

/**
 * Identifies the home of this Coordinator, made at its first start: after a restart it is the same
 * Coordinator, another home on the same host is another one. An id that was lost or cannot be read is made
 * anew; the server accepts it when the old one counts as lost.
 */
export async function instanceIdOf(home: string): Promise<string> {
  const folder = join(home, 'run');
  const file = join(folder, 'coordinator-instance');
  const found = await readFile(file, 'utf8').catch(() => '');
  if (UUID.test(found.trim())) return found.trim();
  const made = randomUUID();
  await mkdir(folder, { recursive: true });
  await writeDurably(file, `${made}\n`);
  return made;
}
