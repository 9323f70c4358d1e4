import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../components/Button.tsx';
import { Dialog, DialogBody, DialogFoot } from '../../components/Dialog.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Field, Select } from '../../components/Field.tsx';
import { callApi } from '../../lib/api/call-api.ts';
import { formText } from '../../lib/form.ts';
import { keys } from '../../lib/queries/keys.ts';
import { projectsQuery } from '../../lib/queries/queries.ts';
import { AgentFields } from './AgentFields.tsx';
import { agentDraftOf, createBodyOf } from './agent-draft.ts';
import { IdField } from './IdField.tsx';
import { SecretOnce } from './SecretOnce.tsx';

/** A new AI agent, and where it works first. Its passkey is shown this once; our own agents do not need it. */
export function CreateAgentDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { data: projects = [] } = useQuery(projectsQuery());
  const [draft, setDraft] = useState(() => agentDraftOf(undefined));
  const create = useMutation({
    mutationFn: (form: FormData) =>
      callApi('createAgent', { body: createBodyOf(draft, formText(form, 'id')) }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.agents }),
  });
  const join = useMutation({
    mutationFn: (ids: { pid: string; aid: string }) => callApi('addMember', { params: ids }),
    onSuccess: (_member, { pid }) => client.invalidateQueries({ queryKey: keys.members(pid) }),
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const pid = formText(form, 'project');
    create.mutate(form, {
      onSuccess: (agent) => {
        if (pid !== '') join.mutate({ pid, aid: agent.id });
      },
    });
  };
  const made = create.data;
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={made ? t('settings.made', { name: made.name }) : t('settings.addAgent')}
      testId="agent-dialog"
    >
      {made ? (
        <>
          <DialogBody>
            <dl className="text-13">
              <dt className="text-12 text-ink-2">{t('auth.agentId')}</dt>
              <dd className="font-mono select-all">{made.id}</dd>
            </dl>
            {made.passkey !== undefined && (
              <SecretOnce
                secret={made.passkey}
                label={t('settings.passkey')}
                hint={t('settings.agentPasskeyHint')}
                testId="passkey-once"
              />
            )}
            {join.error && <ErrorNote error={join.error} title={t('settings.notJoined')} />}
          </DialogBody>
          <DialogFoot>
            <Button variant="primary" onClick={onClose}>
              {t('settings.done')}
            </Button>
          </DialogFoot>
        </>
      ) : (
        <form onSubmit={submit}>
          <DialogBody>
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
            {create.error && <ErrorNote error={create.error} />}
          </DialogBody>
          <DialogFoot>
            <Button onClick={onClose}>{t('common.cancel')}</Button>
            <Button type="submit" variant="primary" isBusy={create.isPending} data-testid="agent-save">
              {t('common.create')}
            </Button>
          </DialogFoot>
        </form>
      )}
    </Dialog>
  );
}
