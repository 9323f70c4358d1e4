import type { TaskList, ToolTask } from '@aizuchi/shared/contract/tools/project-tools';
import { TASK_STATUSES, type TaskStatus } from '@aizuchi/shared/core/tasks/rules/task-status';
import { excerptOf } from './excerpt.ts';
import type { BuiltinTexts } from './texts-shape.ts';

const LISTED_TASKS = 10;
const TITLE_LENGTH = 80;

/** The board in words: counts by status, what is in progress and by whom, what is blocked. */
export function describeProgress(board: TaskList, texts: BuiltinTexts): string {
  const total = TASK_STATUSES.reduce((sum, status) => sum + board.counts[status], 0);
  if (total === 0) return texts.emptyBoard;
  const counts = TASK_STATUSES.filter((status) => board.counts[status] > 0).map(
    (status) => `- ${texts.statusCount(texts.statusNames[status], board.counts[status])}`,
  );
  const inProgress = listTasks(board, 'in_progress', texts.inProgressHeading, texts);
  return [
    [texts.total(total), ...counts].join('\n'),
    inProgress ?? texts.nothingInProgress,
    listTasks(board, 'blocked', texts.blockedHeading, texts),
  ]
    .filter((part) => part !== undefined)
    .join('\n\n');
}

function listTasks(
  board: TaskList,
  status: TaskStatus,
  heading: string,
  texts: BuiltinTexts,
): string | undefined {
  if (board.counts[status] === 0) return undefined;
  const shown = board.tasks.filter((task) => task.status === status).slice(0, LISTED_TASKS);
  const rest = board.counts[status] - shown.length;
  const lines = shown.map((task) => `- ${lineOf(task, texts)}`);
  if (rest > 0) lines.push(`- ${texts.more(rest)}`);
  return [heading, ...lines].join('\n');
}

function lineOf(task: ToolTask, texts: BuiltinTexts): string {
  const assignee = task.assignee_name ?? task.assignee_id;
  return texts.task(
    excerptOf(task.title, TITLE_LENGTH),
    assignee === null ? null : excerptOf(assignee, TITLE_LENGTH),
  );
}
