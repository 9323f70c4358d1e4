import type { TaskList } from '@aizuchi/shared/contract/tools/project-tools';
import type { AgentView } from '../../driver.ts';

const FETCHED_TASKS = 200;

/** What is in progress and blocked, with the counts of everything. */
export function readBoard({ tools }: AgentView): Promise<TaskList> {
  return tools.call('list_tasks', { status: ['in_progress', 'blocked'], limit: FETCHED_TASKS });
}
