import type { ErrorCode } from '@aizuchi/shared/contract/error-codes';

/** A refused or failed call. `network`: no response came. */
export class ApiError extends Error {
  readonly code: ErrorCode | 'network';
  readonly status: number;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: ErrorCode | 'network',
    message: string,
    rest: {
      readonly status?: number;
      readonly details?: Readonly<Record<string, unknown>> | undefined;
      readonly retryAfterSeconds?: number | undefined;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, rest.cause === undefined ? undefined : { cause: rest.cause });
    this.name = 'ApiError';
    this.code = code;
    this.status = rest.status ?? 0;
    this.details = rest.details;
    this.retryAfterSeconds = rest.retryAfterSeconds;
  }

  /** The server did not decide about the call, so it may be retried. */
  get isTransient(): boolean {
    return this.code === 'network' || this.code === 'unavailable' || this.status >= 500;
  }
}

export function isCode(error: unknown, ...codes: readonly ApiError['code'][]): error is ApiError {
  return error instanceof ApiError && codes.includes(error.code);
}
