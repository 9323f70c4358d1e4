import type * as Client from '@aizuchi/kubernetes-client';
import { ExitError, exitCodes } from '@aizuchi/shared/platform/process-lifecycle';

/** It is 60 MB: only what runs in a cluster has it. */
export async function loadClient(): Promise<typeof Client> {
  try {
    return await import('@aizuchi/kubernetes-client');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')) throw error;
    throw new ExitError(
      exitCodes.configuration,
      'The Kubernetes client is not installed. Set AIZUCHI_EXECUTOR=kubernetes in the environment of npm start, which installs it then; the image of the Dockerfile has it.',
    );
  }
}
