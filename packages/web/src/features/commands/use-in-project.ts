import { useNavigate, useRouter } from '@tanstack/react-router';
import type { ProjectSearch } from '../../app/search.ts';

/**
 * Opens something in this project: beside the page that is shown, or on the board when a page outside the project is
 * already on its way.
 */
export function useInProject(
  projectId: string,
): (change: (search: ProjectSearch) => ProjectSearch) => Promise<void> {
  const router = useRouter();
  const navigate = useNavigate();
  return (change) => {
    const { pathname } = router.latestLocation;
    if (`${pathname}/`.startsWith(`/projects/${projectId}/`)) return navigate({ to: '.', search: change });
    return navigate({ to: '/projects/$projectId', params: { projectId }, search: change({}) });
  };
}
