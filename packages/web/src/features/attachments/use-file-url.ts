import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { readFile } from '../../lib/api/call-api.ts';

/** What is not shown any more is kept so long. */
const KEPT_MS = 5 * 60_000;

/** The content of a file, for an element of the page: the server answers only a call with its header. */
export function useFileUrl(id: string): { readonly url: string | undefined; readonly error: unknown } {
  const { data, error } = useQuery({
    queryKey: ['attachment', id],
    queryFn: () => readFile('getAttachment', { params: { id } }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: KEPT_MS,
  });
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (!data) return;
    const made = URL.createObjectURL(data);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [data]);
  return { url, error };
}
