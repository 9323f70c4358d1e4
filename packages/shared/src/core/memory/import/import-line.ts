import { isUtf8 } from 'node:buffer';
import { importLineSchema } from '../../../contract/memory.ts';
import { storable } from '../../../contract/storable.ts';
import type { NewEvent } from '../memory-store.ts';

/** What a line may say at the moment of its import. */
export interface ImportRules {
  /** Of lines that name none; null: they are general. */
  readonly projectId: string | null;
  /** Those that lines may name. */
  readonly projects: ReadonlySet<string>;
  readonly now: Date;
}

export type ParsedLine = { readonly event: NewEvent } | { readonly fault: string };

const lineSchema = storable(importLineSchema);
const DAY_MS = 24 * 60 * 60 * 1_000;
/** Postgres reads no year 0. */
const EARLIEST = new Date('0001-01-01T00:00:00Z');

/** undefined: an empty line. */
export function parseImportLine(bytes: Buffer, rules: ImportRules): ParsedLine | undefined {
  if (!isUtf8(bytes)) return { fault: 'not UTF-8' };
  // Some programs begin a file with a byte order mark.
  const text = bytes
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trim();
  if (text === '') return undefined;
  const value = parseJson(text);
  if (value === undefined) return { fault: 'not JSON' };
  const { data: line, error } = lineSchema.safeParse(value);
  if (error) return { fault: faultOf(error) };
  const createdAt = new Date(line.createdAt);
  if (createdAt.getTime() > rules.now.getTime() + DAY_MS) return { fault: 'createdAt: in the future' };
  if (!(createdAt >= EARLIEST)) return { fault: 'createdAt: before the year 1' };
  if (line.projectId !== undefined && !rules.projects.has(line.projectId))
    return { fault: 'projectId: no project of this agent that you may write to' };
  const { projectId = rules.projectId, threadId = line.clientId } = line;
  return {
    event: { ...line, projectId, threadId, createdAt, source: 'import', assistantState: 'complete' },
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The caller tells which line it was.
    return undefined;
  }
}

function faultOf({
  issues: [issue],
}: {
  issues: readonly { path: PropertyKey[]; message: string }[];
}): string {
  const path = issue?.path.map(String).join('.') ?? '';
  return `${path === '' ? '' : `${path}: `}${issue?.message ?? 'not valid'}`.slice(0, 300);
}
