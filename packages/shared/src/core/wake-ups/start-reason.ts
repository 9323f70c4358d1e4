import type { Reason } from '../../contract/reason.ts';
import type { StartError } from './wake-up-queries.ts';

/** Why a process ended, for each reader in its language. Null: only its text is known, or nothing. */
export function reasonOf({ error, reason = null, exitCode, signal }: StartError): Reason | null {
  if (error !== null) return reason;
  if (signal !== null) return { code: 'signalled', params: { signal } };
  return exitCode === null ? null : { code: 'exited', params: { exitCode } };
}
