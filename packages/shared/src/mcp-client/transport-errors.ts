/** The server answered with a status that MCP does not have. */
export class HttpStatusError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'HttpStatusError';
    this.status = status;
  }
}

/** The token cannot be sent in a header. Its message does not contain the token. */
export class InvalidTokenError extends Error {
  constructor() {
    super('The token contains a line break or another character that an HTTP header cannot carry.');
    this.name = 'InvalidTokenError';
  }
}

/** The JSON-RPC error code of a request whose reply was longer than a client reads. */
export const REPLY_TOO_LARGE = -32_010;
