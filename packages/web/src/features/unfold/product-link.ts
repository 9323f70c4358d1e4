/** What a link of this product leads to. */
export type ProductLink = RecordLink | MessageLink;

interface RecordLink {
  readonly kind: 'task' | 'run';
  readonly projectId: string;
  readonly id: string;
}

/** To a message of the chat with this agent. */
export interface MessageLink {
  readonly kind: 'message';
  readonly projectId: string;
  readonly agentId: string;
  readonly id: string;
}

/** As `idSchema`: anything else would be asked for in vain, and `..` would lead to another address. */
const ID = /^[a-z][a-z0-9_-]{1,63}$/;
/** The board, with the chat beside it. */
const TASKS = /^\/projects\/([^/]+)\/?$/;
const RUNS = /^\/projects\/([^/]+)\/runs\/?$/;

/** Reads a link to a task, a run or a message of this origin; undefined: it leads elsewhere. Nothing is asked for. */
export function productLinkOf(href: string, origin: string): ProductLink | undefined {
  if (!URL.canParse(href, origin)) return undefined;
  const url = new URL(href, origin);
  if (url.origin !== origin || url.username !== '' || url.password !== '') return undefined;
  return linkOf('run', RUNS, url) ?? linkOf('task', TASKS, url) ?? messageLinkOf(url);
}

function messageLinkOf(url: URL): MessageLink | undefined {
  const [, projectId = ''] = TASKS.exec(url.pathname) ?? [];
  const agentId = url.searchParams.get('agent') ?? '';
  const id = url.searchParams.get('message') ?? '';
  if (![projectId, agentId, id].every((part) => ID.test(part))) return undefined;
  return { kind: 'message', projectId, agentId, id };
}

function linkOf(kind: RecordLink['kind'], path: RegExp, url: URL): RecordLink | undefined {
  const [, projectId = ''] = path.exec(url.pathname) ?? [];
  const id = url.searchParams.get(kind) ?? '';
  return ID.test(projectId) && ID.test(id) ? { kind, projectId, id } : undefined;
}
