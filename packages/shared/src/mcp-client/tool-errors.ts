/**
 * The server answered with a refusal; `code` is one of its stable error codes. A repeated call gets the same
 * refusal.
 */
export class ToolRefused extends Error {
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: string, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.name = 'ToolRefused';
    this.code = code;
    this.details = details;
  }
}

/** No answer, or one that means "try again later". It is unknown whether the call took effect. */
export class ToolUnreachable extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ToolUnreachable';
  }
}
