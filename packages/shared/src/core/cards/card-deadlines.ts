import { settingOrNeverSql } from '../sweep-step.ts';
import { ORPHAN_MS } from './rules/card-machine.ts';

/** When each open card of a table is to be timed out or cancelled (sweep-step.ts). */
export function cardDeadlinesSql(table: string, shownAt: string): string {
  return `
    select least(case when session_id is not null then ${shownAt} + ${settingOrNeverSql('questionTimeoutSeconds')} end,
      orphaned_at + interval '${ORPHAN_MS} ms') as at
    from ${table} where state = 'pending'`;
}
