import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { ReadingPage } from '../../components/Panel.tsx';
import { PhaseLine } from '../../components/Spinner.tsx';
import { meQuery, projectQuery } from '../../lib/queries/queries.ts';
import { DeleteProject } from './DeleteProject.tsx';
import { EgressPanel } from './EgressPanel.tsx';
import { MembersPanel } from './MembersPanel.tsx';
import { ProjectGeneralForm } from './ProjectGeneralForm.tsx';
import { TransferPanel } from './transfer/TransferPanel.tsx';

const route = getRouteApi('/signed-in/projects/$projectId');

/** The properties and members of a project. Owners change them, others read them. */
export function ProjectSettingsPage() {
  const { t } = useTranslation();
  const { projectId } = route.useParams();
  const { data: me } = useQuery(meQuery());
  const { data: project } = useQuery(projectQuery(projectId));
  const canChange = me?.accessLevel === 'owner';
  return (
    <ReadingPage title={t('app.tabSettings')}>
      {project ? (
        <>
          <ProjectGeneralForm key={project.id} project={project} canChange={canChange} />
          <EgressPanel key={`${project.id} egress`} project={project} canChange={canChange} />
        </>
      ) : (
        <PhaseLine>{t('common.loading')}</PhaseLine>
      )}
      <MembersPanel projectId={projectId} type="ai" canChange={canChange} />
      <MembersPanel projectId={projectId} type="human" canChange={canChange} />
      <TransferPanel projectId={projectId} canImport={canChange} />
      {project && canChange && <DeleteProject project={project} />}
    </ReadingPage>
  );
}
