import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorNote } from '../../../components/ErrorNote.tsx';
import { Field, Select } from '../../../components/Field.tsx';
import { callApi } from '../../../lib/api/call-api.ts';
import { formText } from '../../../lib/form.ts';
import { keys } from '../../../lib/queries/keys.ts';
import { projectsQuery } from '../../../lib/queries/queries.ts';
import { CreateDialog, CreatedAgent } from '../CreateDialog.tsx';
import { IdField } from '../IdField.tsx';
import { AgentFields } from './AgentFields.tsx';
import { agentDraftOf, createBodyOf } from './agent-draft.ts';

/** Creates an AI agent and adds it to a project. Its passkey is shown only once; the built-in agents do not need it. */
export function CreateAgentDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { data: projects = [] } = useQuery(projectsQuery());
  const [draft, setDraft] = useState(() => agentDraftOf(undefined));
  const join = useMutation({
    mutationFn: (ids: { pid: string; aid: string }) => callApi('addMember', { params: ids }),
    onSuccess: (_member, { pid }) => client.invalidateQueries({ queryKey: keys.members(pid) }),
  });
  const create = useMutation({
    mutationFn: (form: FormData) =>
      callApi('createAgent', { body: createBodyOf(draft, formText(form, 'id')) }),
    onSuccess: (agent, form) => {
      const pid = formText(form, 'project');
      if (pid !== '') join.mutate({ pid, aid: agent.id });
      return client.invalidateQueries({ queryKey: keys.agents });
    },
  });
  const made = create.data;
  return (
    <CreateDialog
      title={t('settings.addAgent')}
      testId="agent"
      create={create}
      onClose={onClose}
      made={
        made && {
          name: made.name,
          shown: (
            <>
              <CreatedAgent agent={made} hint={t('settings.agentPasskeyHint')} />
              {join.error && <ErrorNote error={join.error} title={t('settings.notJoined')} />}
            </>
          ),
        }
      }
    >
      <AgentFields draft={draft} onChange={(change) => setDraft({ ...draft, ...change })} autoFocus />
      <Field label={t('settings.joins')} hint={t('settings.joinsHint')}>
        {(control) => (
          <Select
            {...control}
            key={projects.length}
            name="project"
            defaultValue={projects.length === 1 ? projects[0]?.id : ''}
            data-testid="agent-project"
          >
            <option value="">{t('settings.noProject')}</option>
            {projects.map((project) => (
              <option key={project.id} value={project.id}>
                {project.name}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <IdField hint={t('settings.agentIdHint')} testId="agent-id" />
    </CreateDialog>
  );
}
