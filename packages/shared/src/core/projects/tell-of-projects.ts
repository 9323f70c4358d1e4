import { appendChangeEvents } from '../../platform/change-log/change-log.ts';
import type { Tx } from '../../platform/db/database.ts';

/** All open pages read their list of projects again, and the members of the shown one. */
export function tellOfProjects(tx: Tx): Promise<void> {
  return appendChangeEvents(tx, [{ kind: 'projects', projectId: null, ref: {} }]);
}
