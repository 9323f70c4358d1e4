import type { Project, ProjectStatus } from '@aizuchi/shared/contract/project';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../components/Button.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Field, Input, Select, TextArea } from '../../components/Field.tsx';
import { Panel } from '../../components/Panel.tsx';
import { callApi } from '../../lib/api/call-api.ts';
import { forgetError, formText } from '../../lib/form.ts';
import { keys } from '../../lib/queries/keys.ts';
import { toast } from '../../lib/toast.ts';
import { AgentRuleFields, ISOLATIONS, POLICIES } from './AgentRuleFields.tsx';
import { FolderInput } from './folder/FolderInput.tsx';
import { ReviewerField } from './ReviewerField.tsx';

interface ProjectGeneralFormProps {
  readonly project: Project;
  readonly canChange: boolean;
}

const STATUSES: readonly ProjectStatus[] = ['active', 'paused', 'archived'];

export function ProjectGeneralForm({ project, canChange }: ProjectGeneralFormProps) {
  const { t } = useTranslation();
  const save = useSaveProject(project);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    save.mutate(new FormData(event.currentTarget));
  };
  return (
    <Panel title={t('projects.general')}>
      <form onSubmit={submit} onChange={forgetError(save)} className="flex flex-col gap-4 p-4">
        <fieldset disabled={!canChange} className="contents">
          <Fields project={project} />
          <AgentRuleFields project={project} />
          <ReviewerField key={project.reviewerId} project={project} />
        </fieldset>
        {save.error && <ErrorNote error={save.error} />}
        {canChange && (
          <div className="flex justify-end">
            <Button type="submit" variant="primary" isBusy={save.isPending}>
              {t('common.save')}
            </Button>
          </div>
        )}
      </form>
    </Panel>
  );
}

function Fields({ project }: { readonly project: Project }) {
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
            defaultValue={project.name}
            autoComplete="off"
          />
        )}
      </Field>
      <Field label={t('projects.description')}>
        {(control) => (
          <TextArea {...control} name="description" maxLength={10_000} defaultValue={project.description} />
        )}
      </Field>
      {project.workingDirectory !== undefined && (
        <Field label={t('projects.directory')}>
          {(control) => (
            <FolderInput
              {...control}
              required
              projectId={project.id}
              defaultValue={project.workingDirectory}
            />
          )}
        </Field>
      )}
      <Field label={t('projects.statusLabel')} hint={t('projects.statusHint')}>
        {(control) => (
          <Select {...control} key={project.status} name="status" defaultValue={project.status}>
            {STATUSES.map((status) => (
              <option key={status} value={status}>
                {t(`projects.status.${status}`)}
              </option>
            ))}
          </Select>
        )}
      </Field>
    </>
  );
}

/** Sends name and description, and of the rest what was changed: only owners may. */
function useSaveProject(project: Project) {
  const { t } = useTranslation();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (form: FormData) => {
      const description = formText(form, 'description');
      const workingDirectory = formText(form, 'workingDirectory');
      const status = STATUSES.find((one) => one === formText(form, 'status'));
      const permissionPolicy = POLICIES.find((one) => one === formText(form, 'permissionPolicy'));
      const isolation = ISOLATIONS.find((one) => one === formText(form, 'isolation'));
      const reviewerId = formText(form, 'reviewerId');
      return callApi('updateProject', {
        params: { pid: project.id },
        body: {
          name: formText(form, 'name'),
          description: description === '' ? null : description,
          ...(workingDirectory !== project.workingDirectory && { workingDirectory }),
          ...(status !== undefined && status !== project.status && { status }),
          ...(permissionPolicy !== undefined &&
            permissionPolicy !== project.permissionPolicy && { permissionPolicy }),
          ...(isolation !== undefined && isolation !== project.isolation && { isolation }),
          ...(reviewerId !== (project.reviewerId ?? '') && {
            reviewerId: reviewerId === '' ? null : reviewerId,
          }),
        },
      });
    },
    onSuccess: (changed) => {
      client.setQueryData(keys.projectDetail(project.id), changed);
      toast.success(t('common.saved'));
      // Not waited for: a form that is busy until every list was read takes no second change meanwhile.
      void client.invalidateQueries({ queryKey: keys.projects });
    },
  });
}
