import type { ProgramsOfHosts } from '@aizuchi/shared/contract/programs';
import { queryOptions } from '@tanstack/react-query';
import { callApi } from '../../../../lib/api/call-api.ts';
import { keys } from '../../../../lib/queries/keys.ts';

const POLL_MS = 1_000;
/** A look starts processes on the hosts: one that is this old is enough. */
const FRESH_MS = 60_000;

export function isLooking(known: ProgramsOfHosts | undefined): boolean {
  return known?.hosts.some((host) => host.isLooking) === true;
}

/** Asks the hosts to look, and then reads until each has answered. */
export const hostProgramsQuery = () =>
  queryOptions({
    queryKey: keys.hostPrograms,
    queryFn: ({ client, signal }) => {
      const known = client.getQueryData<ProgramsOfHosts>(keys.hostPrograms);
      return callApi(isLooking(known) ? 'hostPrograms' : 'lookForPrograms', { signal });
    },
    refetchInterval: ({ state }) => isLooking(state.data) && POLL_MS,
    staleTime: FRESH_MS,
  });
