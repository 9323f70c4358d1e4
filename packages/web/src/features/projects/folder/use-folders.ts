import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { callApi } from '../../../lib/api/call-api.ts';
import { keys } from '../../../lib/queries/keys.ts';

/** The folder that the person looks at; without one the allowed places, and the only one of these at once. */
export function useFolders(from: string, projectId = '') {
  const [path, setPath] = useState(from);
  const query = useQuery({
    queryKey: keys.folders(path, projectId),
    queryFn: async ({ signal }) => {
      const read = (of: string) =>
        callApi('listFolders', {
          query: { ...(of !== '' && { path: of }), ...(projectId !== '' && { projectId }) },
          signal,
        });
      const list = await read(path);
      const [only, ...others] = list.folders;
      return list.path === undefined && only && others.length === 0 ? read(only.path) : list;
    },
    // What was made or removed on the host since is seen.
    staleTime: 0,
    gcTime: 0,
    retry: false,
    placeholderData: keepPreviousData,
  });
  return { query, open: setPath, openPlaces: () => setPath('') };
}
