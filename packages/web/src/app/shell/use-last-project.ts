import { useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { storage } from '../../lib/storage.ts';

const KEY = 'last-project';

/** The open project; elsewhere the one that was open last, while the person sees it, else the first. */
export function useLastProject(projects: readonly { readonly id: string }[] = []): string | undefined {
  const { projectId: openId } = useParams({ strict: false });
  useEffect(() => {
    if (openId !== undefined) storage.set(KEY, openId);
  }, [openId]);
  if (openId !== undefined) return openId;
  const last = storage.get(KEY);
  return (projects.find(({ id }) => id === last) ?? projects[0])?.id;
}
