import { getRouteApi } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Board } from './Board.tsx';

const route = getRouteApi('/signed-in/projects/$projectId');

/** The page at /projects/:id. Its open task is in the address (`?task=`). */
export function BoardPage() {
  const { t } = useTranslation();
  const { projectId } = route.useParams();
  return (
    <>
      <h1 className="sr-only">{t('app.tabBoard')}</h1>
      <Board key={projectId} projectId={projectId} />
    </>
  );
}
