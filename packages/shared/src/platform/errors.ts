import type { ErrorCode } from '../contract/error-codes.ts';

export interface AppErrorOptions {
  /** Text that a client may show or use; never a secret, a path of the server or SQL. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** Sent as Retry-After with rate_limited, quota_reached and unavailable. */
  readonly retryAfterSeconds?: number;
  readonly cause?: unknown;
}

/** A refusal or failure with a stable code; the only error that services throw on purpose. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.details = options.details;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}
