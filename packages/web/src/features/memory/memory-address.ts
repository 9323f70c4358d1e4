/** What is shown of a memory is in the address: a reload and a shared link show the same. */
export interface MemorySearchParams {
  /** The project whose part of the memory is shown, with what is general. */
  readonly project?: string;
  /** What the memory is searched for. */
  readonly find?: string;
}

export function readMemorySearch(search: Record<string, unknown>): MemorySearchParams {
  const project = toText(search.project);
  const find = toText(search.find);
  return { ...(project !== undefined && { project }), ...(find !== undefined && { find }) };
}

/** The router parses what looks like a number as one. */
function toText(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
