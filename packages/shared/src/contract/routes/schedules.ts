import {
  createScheduleBodySchema,
  listSchedulesQuerySchema,
  schedulePageSchema,
  scheduleSchema,
  updateScheduleBodySchema,
} from '../schedule.ts';
import { pid, sid } from './params.ts';
import type { RouteDefinition } from './route.ts';

export const SCHEDULES_ROUTES = {
  listSchedules: {
    method: 'GET',
    path: '/api/projects/:pid/schedules',
    caller: 'person',
    tag: 'Schedules',
    summary: 'The schedules of a project',
    description:
      'A page holds at most 1 MiB of prompts: it may be shorter than `limit`. `nextCursor` is null behind the last one.',
    isLarge: true,
    params: pid,
    query: listSchedulesQuerySchema,
    success: 200,
    response: schedulePageSchema,
  },
  createSchedule: {
    method: 'POST',
    path: '/api/projects/:pid/schedules',
    caller: 'writer',
    tag: 'Schedules',
    summary: 'Give an agent a prompt by the clock',
    params: pid,
    body: createScheduleBodySchema,
    success: 201,
    response: scheduleSchema,
  },
  updateSchedule: {
    method: 'PATCH',
    path: '/api/schedules/:sid',
    caller: 'writer',
    tag: 'Schedules',
    summary: 'Change a schedule; what is not named stays',
    params: sid,
    body: updateScheduleBodySchema,
    success: 200,
    response: scheduleSchema,
  },
  deleteSchedule: {
    method: 'DELETE',
    path: '/api/schedules/:sid',
    caller: 'writer',
    tag: 'Schedules',
    summary: 'Delete a schedule; what it has started goes on',
    params: sid,
    success: 204,
  },
  runSchedule: {
    method: 'POST',
    path: '/api/schedules/:sid/run',
    caller: 'writer',
    tag: 'Schedules',
    summary: 'Give the prompt now, enabled or not; `lastRun` says what came of it',
    params: sid,
    success: 202,
    response: scheduleSchema,
  },
} as const satisfies Record<string, RouteDefinition>;
