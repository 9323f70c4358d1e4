import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { agentsQuery } from './queries.ts';

/** The name of an agent or a person; the id of one that the caller may no longer see. */
export function useNameOf(): (id: string) => string {
  const { data } = useQuery(agentsQuery());
  const names = useMemo(() => new Map(data?.map(({ id, name }) => [id, name])), [data]);
  return (id) => names.get(id) ?? id;
}
