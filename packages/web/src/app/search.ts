/** What is open on a project page stands in the address: a reload and a shared link show the same. */
export interface ProjectSearch {
  /** Whose chat is open. */
  readonly agent?: string;
  /** The task whose card is open. */
  readonly task?: string;
  /** The message to show. */
  readonly message?: string;
  /** The card to show in that chat. */
  readonly question?: string;
  /** The conversation between agents that is open. */
  readonly conversation?: string;
}

export function readProjectSearch(search: Record<string, unknown>): ProjectSearch {
  const agent = toId(search.agent);
  const task = toId(search.task);
  const message = toId(search.message);
  const question = toId(search.question);
  const conversation = toId(search.conversation);
  return {
    ...(agent && { agent }),
    ...(task && { task }),
    ...(message && { message }),
    ...(question && { question }),
    ...(conversation && { conversation }),
  };
}

export interface LoginSearch {
  /** Where to go after the sign-in: an address of this page, never another one. */
  readonly next?: string;
}

export function readLoginSearch(search: Record<string, unknown>): LoginSearch {
  const { next } = search;
  return typeof next === 'string' && /^\/(?![/\\])/.test(next) ? { next } : {};
}

/** An id that looks like a number was parsed as one. */
function toId(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
