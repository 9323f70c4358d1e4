import { mkdir, stat } from 'node:fs/promises';
import { ExitError, exitCodes } from '@aizuchi/shared/platform/process-lifecycle';

/** A root is created if its parent exists, as working directories are. Otherwise it is taken for a typing error. */
export async function makeWorkspaceRoots(roots: readonly string[]): Promise<void> {
  for (const root of roots) {
    const problem = await mkdir(root, { mode: 0o755 }).then(
      () => undefined,
      async (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') return error.code;
        return (await stat(root)).isDirectory() ? undefined : 'ENOTDIR';
      },
    );
    if (problem) {
      throw new ExitError(
        exitCodes.configuration,
        `AIZUCHI_WORKSPACE_ROOTS names ${root}, which cannot be used (${problem}).`,
      );
    }
  }
}
