import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../components/Button.tsx';
import { Dialog, DialogBody, DialogFoot } from '../../components/Dialog.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Field, Input, TextArea } from '../../components/Field.tsx';
import { callApi } from '../../lib/api/call-api.ts';
import { forgetError, formText } from '../../lib/form.ts';
import { keys } from '../../lib/queries/keys.ts';
import { FolderInput } from './folder/FolderInput.tsx';

export interface CreateProjectDialogProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

export function CreateProjectDialog({ open, onOpenChange }: CreateProjectDialogProps) {
  const { t } = useTranslation();
  const create = useCreateProject(() => onOpenChange(false));
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    create.mutate(new FormData(event.currentTarget));
  };
  const changeOpen = (next: boolean) => {
    create.reset();
    onOpenChange(next);
  };
  return (
    <Dialog
      title={t('projects.create')}
      description={t('projects.createHint')}
      open={open}
      onOpenChange={changeOpen}
      testId="project-dialog"
    >
      <form onSubmit={submit} onChange={forgetError(create)}>
        <DialogBody>
          <Fields />
          {create.error && <ErrorNote error={create.error} />}
        </DialogBody>
        <DialogFoot>
          <Button onClick={() => changeOpen(false)}>{t('common.cancel')}</Button>
          <Button type="submit" variant="primary" isBusy={create.isPending} data-testid="project-save">
            {t('common.create')}
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  );
}

function Fields() {
  const { t } = useTranslation();
  return (
    <>
      <Field label={t('projects.name')}>
        {(control) => (
          <Input
            {...control}
            name="name"
            required
            maxLength={200}
            autoFocus
            autoComplete="off"
            data-testid="project-name"
          />
        )}
      </Field>
      <Field label={t('projects.description')}>
        {(control) => <TextArea {...control} name="description" maxLength={10_000} />}
      </Field>
      <Field label={t('projects.directory')} hint={t('projects.directoryHint')}>
        {(control) => <FolderInput {...control} />}
      </Field>
    </>
  );
}

/** Creates the project of the form and opens its page. */
function useCreateProject(onCreated: () => void) {
  const client = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: (form: FormData) => {
      const description = formText(form, 'description');
      const workingDirectory = formText(form, 'workingDirectory');
      return callApi('createProject', {
        body: {
          name: formText(form, 'name'),
          ...(description !== '' && { description }),
          ...(workingDirectory !== '' && { workingDirectory }),
        },
      });
    },
    onSuccess: async (project) => {
      client.setQueryData(keys.projectDetail(project.id), project);
      await client.invalidateQueries({ queryKey: keys.projects });
      onCreated();
      await navigate({ to: '/projects/$projectId', params: { projectId: project.id } });
    },
  });
}
