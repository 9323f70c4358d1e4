import {
  createTaskBodySchema,
  listTasksQuerySchema,
  taskPageSchema,
  taskSchema,
  updateTaskBodySchema,
} from '../task.ts';
import { pid, tid } from './params.ts';
import type { RouteDefinition } from './route.ts';

export const TASKS_ROUTES = {
  listTasks: {
    method: 'GET',
    path: '/api/projects/:pid/tasks',
    caller: 'person',
    tag: 'Tasks',
    summary: 'The tasks of a project',
    description:
      'A page holds at most 1 MiB of titles and descriptions: it may be shorter than `limit`. `nextCursor` is null behind the last one.',
    isLarge: true,
    params: pid,
    query: listTasksQuerySchema,
    success: 200,
    response: taskPageSchema,
  },
  createTask: {
    method: 'POST',
    path: '/api/projects/:pid/tasks',
    caller: 'writer',
    tag: 'Tasks',
    summary: 'Make a task',
    params: pid,
    body: createTaskBodySchema,
    success: 201,
    response: taskSchema,
  },
  getTask: {
    method: 'GET',
    path: '/api/tasks/:tid',
    caller: 'person',
    tag: 'Tasks',
    summary: 'One task',
    params: tid,
    success: 200,
    response: taskSchema,
  },
  updateTask: {
    method: 'PATCH',
    path: '/api/tasks/:tid',
    caller: 'writer',
    tag: 'Tasks',
    summary: 'Change or move a task; names the version that the caller has seen',
    params: tid,
    body: updateTaskBodySchema,
    success: 200,
    response: taskSchema,
  },
  deleteTask: {
    method: 'DELETE',
    path: '/api/tasks/:tid',
    caller: 'writer',
    tag: 'Tasks',
    summary: 'Delete a task',
    params: tid,
    success: 204,
  },
} as const satisfies Record<string, RouteDefinition>;
