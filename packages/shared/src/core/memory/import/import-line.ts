import { importLineSchema } from '../../../contract/memory.ts';
import { storable } from '../../../contract/storable.ts';
import type { NewEvent } from '../memory-store.ts';
import { parseLine } from './parse-line.ts';

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
  const parsed = parseLine(bytes, lineSchema);
  if (!parsed || 'fault' in parsed) return parsed;
  const { value: line } = parsed;
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
