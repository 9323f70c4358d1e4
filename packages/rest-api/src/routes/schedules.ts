import type { RestContext } from '../context.ts';
import type { HandlersOf } from '../plugins/route-table.ts';

type Names = 'listSchedules' | 'createSchedule' | 'updateSchedule' | 'deleteSchedule' | 'runSchedule';

export function scheduleRoutes({ schedules }: RestContext): HandlersOf<Names> {
  return {
    listSchedules: ({ person, params, query }) => schedules.list(person, params.pid, query),
    createSchedule: ({ person, params, body }) => schedules.create(person, params.pid, body),
    updateSchedule: ({ person, params, body }) => schedules.update(person, params.sid, body),
    deleteSchedule: async ({ person, params }) => {
      await schedules.remove(person, params.sid);
      return undefined;
    },
    runSchedule: ({ person, params }) => schedules.run(person, params.sid),
  };
}
