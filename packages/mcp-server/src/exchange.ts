import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { TOOLS_PARAMETER, WORKSPACE } from '@aizuchi/shared/contract/tools/workspace-tools';

/** One HTTP request with its response, reduced to what a tool may know about it. */
export class Exchange {
  readonly bearer: string | undefined;
  /** The caller asked for the tools of a model inside our own runner, and has no others. */
  readonly isWorkspace: boolean;
  readonly #request: IncomingMessage;
  readonly #addressOf: (request: IncomingMessage) => string;
  readonly #response: ServerResponse;
  readonly #socket: Socket;
  #isCancelled = false;
  #hasLargeAnswer = false;
  #delivered: Promise<boolean> | undefined;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    addressOf: (request: IncomingMessage) => string,
  ) {
    this.bearer = bearerOf(request.headers.authorization);
    this.isWorkspace = isWorkspaceTarget(request.url ?? '');
    this.#request = request;
    this.#addressOf = addressOf;
    this.#response = response;
    // The response releases its socket when it finishes.
    this.#socket = request.socket;
  }

  /** The address of the client; read from the system only when it is needed. */
  get address(): string {
    return this.#addressOf(this.#request);
  }

  get isGone(): boolean {
    return this.#isCancelled || this.#socket.destroyed || this.#response.closed;
  }

  /** Calls `listener` once, when the response has ended or the client has left, whichever comes first. */
  onGone(listener: () => void): void {
    if (this.isGone) listener();
    else this.#response.once('close', listener);
  }

  /** Aborts when the response has ended or the client has left. */
  get signal(): AbortSignal {
    const gone = new AbortController();
    this.onGone(() => gone.abort());
    return gone.signal;
  }

  /** True when the whole response was written to a live connection; false when the client left first. */
  get delivered(): Promise<boolean> {
    this.#delivered ??= new Promise((resolve) => {
      if (this.#response.writableFinished || this.isGone) {
        resolve(this.#response.writableFinished && this.#isAlive);
        return;
      }
      this.#response.once('finish', () => resolve(this.#isAlive));
      this.#response.once('close', () => resolve(false));
    });
    return this.#delivered;
  }

  /**
   * Whether another large answer may go into this response: false from the second call on. The large answers
   * of one batch would block one another, because each holds its place in the limit until the response with
   * all of them is sent.
   */
  takeLargeAnswer(): boolean {
    if (this.#hasLargeAnswer) return false;
    this.#hasLargeAnswer = true;
    return true;
  }

  /**
   * The client has cancelled the call on another connection: what is written from now on reaches no reader.
   */
  cancel(): void {
    this.#isCancelled = true;
    this.#response.end();
  }

  get #isAlive(): boolean {
    return !this.#isCancelled && !this.#socket.destroyed;
  }
}

function isWorkspaceTarget(target: string): boolean {
  const query = target.indexOf('?');
  // Almost all targets have none.
  return query !== -1 && new URLSearchParams(target.slice(query)).get(TOOLS_PARAMETER) === WORKSPACE;
}

function bearerOf(header: string | undefined): string | undefined {
  return /^bearer +(\S+) *$/i.exec(header ?? '')?.[1];
}
