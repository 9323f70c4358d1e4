import type { Project } from '@aizuchi/shared/contract/project';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../components/Button.tsx';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Panel } from '../../components/Panel.tsx';
import { callApi } from '../../lib/api/call-api.ts';
import { keys } from '../../lib/queries/keys.ts';

/** For owners: the project goes, its folder stays. */
export function DeleteProject({ project }: { readonly project: Project }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [isAsking, setIsAsking] = useState(false);
  const remove = useMutation({
    mutationFn: () => callApi('deleteProject', { params: { pid: project.id } }),
    onSuccess: async () => {
      await navigate({ to: '/projects' });
      await client.invalidateQueries({ queryKey: keys.projects });
    },
  });
  return (
    <Panel title={t('projects.deleteTitle')}>
      <div className="flex items-center justify-between gap-4 px-4 py-3 max-sm:flex-col max-sm:items-start">
        <p className="min-w-0 text-13 text-pretty text-ink-2">{t('projects.deleteHint')}</p>
        <Button variant="danger" data-testid="project-delete" onClick={() => setIsAsking(true)}>
          {t('projects.delete')}
        </Button>
      </div>
      <ConfirmDialog
        open={isAsking}
        onOpenChange={setIsAsking}
        title={t('projects.deleteQuestion', { name: project.name })}
        confirmLabel={t('projects.deleteConfirm')}
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate()}
      >
        <p>{t('projects.deleteText', { folder: project.workingDirectory ?? '' })}</p>
        {remove.error && <ErrorNote error={remove.error} className="mt-3" />}
      </ConfirmDialog>
    </Panel>
  );
}
