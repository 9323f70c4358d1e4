/** The server answered and said no; `code` is one of its stable error codes. Asking again changes nothing. */
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

/** No answer, or one that says "later". Whether the call took effect is not known. */
export class ToolUnreachable extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ToolUnreachable';
  }
}
