import { closeSync, readdirSync, readFileSync } from 'node:fs';

const CLOSE_ON_EXEC = 0o2000000;

/**
 * Closes what the shell that started us had open, so that agents do not inherit it. Node marks the first sixteen as not
 * to be inherited and stops at the first gap above; whatever it opens itself is marked. Only where /proc tells (Linux).
 */
export function closeInheritedDescriptors(): void {
  for (const name of listDescriptors()) {
    const descriptor = Number(name);
    if (descriptor <= 2) continue;
    try {
      const text = readFileSync(`/proc/self/fdinfo/${name}`, 'latin1');
      const flags = Number.parseInt(/^flags:\s+([0-7]+)$/m.exec(text)?.[1] ?? '', 8);
      if (Number.isInteger(flags) && (flags & CLOSE_ON_EXEC) === 0) closeSync(descriptor);
    } catch (error) {
      // That of the listing itself.
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    }
  }
}

function listDescriptors(): string[] {
  try {
    return readdirSync('/proc/self/fd');
  } catch {
    return [];
  }
}
