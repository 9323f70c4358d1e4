import { queryOptions } from '@tanstack/react-query';
import { callApi } from '../../../lib/api/call-api.ts';
import { keys } from '../../../lib/queries/keys.ts';

/** Its answer may change at any time: it is asked again by a person only. */
export const offeredModelsQuery = (baseUrl: string) =>
  queryOptions({
    queryKey: [...keys.offeredModels, baseUrl] as const,
    queryFn: ({ signal }) => callApi('offeredModels', { body: { baseUrl }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
