/** What a link of this product leads to. */
export interface ProductLink {
  readonly kind: 'task' | 'run';
  readonly projectId: string;
  readonly id: string;
}

/** As `idSchema`: anything else would be asked for in vain, and `..` would lead to another address. */
const ID = /^[a-z][a-z0-9_-]{1,63}$/;
const TASKS = /^\/projects\/([^/]+)\/?$/;
const RUNS = /^\/projects\/([^/]+)\/runs\/?$/;

/** Reads a link to a task or a run of this origin; undefined: it leads elsewhere. Nothing is asked for. */
export function productLinkOf(href: string, origin: string): ProductLink | undefined {
  if (!URL.canParse(href, origin)) return undefined;
  const url = new URL(href, origin);
  if (url.origin !== origin || url.username !== '' || url.password !== '') return undefined;
  return linkOf('run', RUNS, url) ?? linkOf('task', TASKS, url);
}

function linkOf(kind: ProductLink['kind'], path: RegExp, url: URL): ProductLink | undefined {
  const [, projectId = ''] = path.exec(url.pathname) ?? [];
  const id = url.searchParams.get(kind) ?? '';
  return ID.test(projectId) && ID.test(id) ? { kind, projectId, id } : undefined;
}
