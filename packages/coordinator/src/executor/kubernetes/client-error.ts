import type * as Client from '@aizuchi/kubernetes-client';
import { z } from 'zod';
import { ClusterRefused, ClusterUnreachable } from './cluster-error.ts';

const refusalSchema = z.object({ message: z.string() });

/** What an error of the client says of the cluster. */
export function asClusterError(error: unknown, { ApiException }: Pick<typeof Client, 'ApiException'>): Error {
  if (error instanceof ClusterRefused || error instanceof ClusterUnreachable) return error;
  if (error instanceof ApiException)
    return new ClusterRefused(error.code, messageOf(error.body) ?? `status ${error.code}`);
  if (error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number')
    return new ClusterRefused(error.statusCode, error.message);
  return new ClusterUnreachable(codeOf(error));
}

export function messageOf(body: unknown): string | undefined {
  const { data } = refusalSchema.safeParse(typeof body === 'string' ? parsed(body) : body);
  return data?.message;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A proxy before the API answers with a page.
    return undefined;
  }
}

export function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError';
}

/** `fetch` names only that it failed; why is its cause. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no connection';
  if (isTimeout(error)) return 'ETIMEDOUT';
  const { cause } = error;
  if (cause instanceof Error) return codeOf(cause);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
