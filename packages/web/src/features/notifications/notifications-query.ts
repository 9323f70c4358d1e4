import { queryOptions } from '@tanstack/react-query';
import { callApi } from '../../lib/api/call-api.ts';
import { keys } from '../../lib/queries/keys.ts';

/** What the person is told off the page. Only the settings change it. */
export const notificationsQuery = () =>
  queryOptions({
    queryKey: keys.notifications,
    queryFn: ({ signal }) => callApi('getNotifications', { signal }),
    staleTime: 60_000,
  });
