import { createHash } from 'node:crypto';
import type { ApprovalContent } from './approval-queries.ts';

/** Equal for the same request, whatever its id is. `json`: the whole input, also where people see a part of it. */
export function fingerprintOf(
  { tool, kind, summary }: Omit<ApprovalContent, 'sessionScope'>,
  json: string,
): string {
  return createHash('sha256')
    .update(JSON.stringify([tool, kind, summary]))
    .update(json)
    .digest('hex');
}
