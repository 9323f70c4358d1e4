import { getRouteApi } from '@tanstack/react-router';
import { Board } from './Board.tsx';

const route = getRouteApi('/signed-in/projects/$projectId');

/** The page at /projects/:id. Its open task is in the address (`?task=`). */
export function BoardPage() {
  const { projectId } = route.useParams();
  return <Board projectId={projectId} />;
}
