import type { CreateScheduleBody, Schedule, UpdateScheduleBody } from '@aizuchi/shared/contract/schedule';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { callApi } from '../../lib/api/call-api.ts';
import { patchQuery } from '../../lib/live/patch-query.ts';
import { keys } from '../../lib/queries/keys.ts';
import { allPages } from '../../lib/queries/queries.ts';

/** There is no frame for a schedule that ran. */
const POLL_MS = 15_000;

export const schedulesQuery = (pid: string) =>
  queryOptions({
    queryKey: keys.schedules(pid),
    queryFn: ({ signal }) =>
      allPages<Schedule>(async (page) => {
        const { schedules, nextCursor } = await callApi('listSchedules', {
          params: { pid },
          query: page,
          signal,
        });
        return { items: schedules, nextCursor };
      }),
    refetchInterval: POLL_MS,
  });

/** Creates a schedule; with an id it changes that one. */
export function useSaveSchedule(projectId: string, id: string | undefined) {
  const keep = useStoreSchedule(projectId);
  return useMutation({
    mutationFn: (body: CreateScheduleBody) =>
      id === undefined
        ? callApi('createSchedule', { params: { pid: projectId }, body })
        : callApi('updateSchedule', { params: { sid: id }, body }),
    onSuccess: keep,
  });
}

export function useChangeSchedule(projectId: string, id: string) {
  const keep = useStoreSchedule(projectId);
  return useMutation({
    mutationFn: (body: UpdateScheduleBody) => callApi('updateSchedule', { params: { sid: id }, body }),
    onSuccess: keep,
  });
}

export function useRunSchedule(projectId: string, id: string) {
  const keep = useStoreSchedule(projectId);
  return useMutation({
    mutationFn: () => callApi('runSchedule', { params: { sid: id } }),
    onSuccess: keep,
  });
}

export function useDeleteSchedule(projectId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => callApi('deleteSchedule', { params: { sid: id } }),
    onSuccess: (_none, id) =>
      patchQuery<readonly Schedule[]>(client, keys.schedules(projectId), (schedules) =>
        schedules.filter((schedule) => schedule.id !== id),
      ),
  });
}

function useStoreSchedule(projectId: string): (schedule: Schedule) => void {
  const client = useQueryClient();
  return (schedule) =>
    patchQuery<readonly Schedule[]>(client, keys.schedules(projectId), (schedules) => {
      const index = schedules.findIndex(({ id }) => id === schedule.id);
      return index < 0 ? [...schedules, schedule] : schedules.with(index, schedule);
    });
}
