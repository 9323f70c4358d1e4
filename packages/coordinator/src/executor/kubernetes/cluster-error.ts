/** The API of the cluster does not answer. */
export class ClusterUnreachable extends Error {
  override readonly name = 'ClusterUnreachable';
}

/** The API answers, and refuses. */
export class ClusterRefused extends Error {
  override readonly name = 'ClusterRefused';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const NOT_FOUND = 404;
const CONFLICT = 409;
/** What a watch asked for is forgotten by now: it has to begin anew. */
const GONE = 410;
const TOO_MANY = 429;
const FIRST_OF_SERVER = 500;

export function isNotThere(error: unknown): boolean {
  return isRefused(error, NOT_FOUND);
}

export function isThereAlready(error: unknown): boolean {
  return isRefused(error, CONFLICT);
}

export function isForgotten(error: unknown): boolean {
  return isRefused(error, GONE);
}

/** It may be answered when it is asked again: too much at once, or a fault on the side of the API. */
export function isPassing(error: unknown): boolean {
  if (error instanceof ClusterUnreachable) return true;
  return error instanceof ClusterRefused && (error.status === TOO_MANY || error.status >= FIRST_OF_SERVER);
}

function isRefused(error: unknown, status: number): boolean {
  return error instanceof ClusterRefused && error.status === status;
}
