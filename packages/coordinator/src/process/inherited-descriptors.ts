import { closeSync, readdirSync, readFileSync } from 'node:fs';

const CLOSE_ON_EXEC = 0o2000000;

/**
 * Closes the descriptors that the shell had open which started this process, so that agents do not inherit
 * them. Node marks the first sixteen as not inheritable and stops at the first gap above; all that it opens
 * itself is marked. Works only where /proc exists (Linux).
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
      // The descriptor of the listing itself.
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
