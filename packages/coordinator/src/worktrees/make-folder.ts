import { chmod, mkdir } from 'node:fs/promises';

/** With exactly this mode: that of mkdir alone depends on the umask, and the account of the agents must pass. */
export async function makeFolder(path: string, mode: number): Promise<void> {
  await mkdir(path, { recursive: true });
  await chmod(path, mode);
}
