import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type KeyboardEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Dialog, DialogBody } from '../../../components/Dialog.tsx';
import { ErrorNote } from '../../../components/ErrorNote.tsx';
import { Icon } from '../../../components/Icon.tsx';
import { forgetError, formText } from '../../../lib/form.ts';
import { coordinatorsQuery, projectsQuery } from '../../../lib/queries/queries.ts';
import { IdField } from '../IdField.tsx';
import { AddAgentFoot } from './AddAgentFoot.tsx';
import { LabelsField, NameFields, PromptField, ProviderFields } from './AgentFields.tsx';
import { type AgentDraft, agentDraftOf } from './agent-draft.ts';
import { ProjectField } from './ProjectField.tsx';
import { ProviderTiles } from './ProviderTiles.tsx';
import { useAddAgent } from './use-add-agent.ts';

interface AddAgentDialogProps {
  /** The project that the agent joins; without it the form asks for one. */
  readonly project?: { readonly id: string; readonly name: string } | undefined;
  readonly onClose: () => void;
  /** `projectId` is absent when it has joined none. */
  readonly onAdded: (agentId: string, projectId: string | undefined) => void;
}

/** Adds an AI agent where one stands. It needs no passkey to be started; who connects by hand makes one on its page. */
export function AddAgentDialog({ project, onClose, onAdded }: AddAgentDialogProps) {
  const { t } = useTranslation();
  const [draft, setDraft] = useState(() => agentDraftOf(undefined));
  const [chosen, setChosen] = useState<string>();
  const { data = [] } = useQuery({ ...projectsQuery(), enabled: project === undefined });
  const projects = data.filter(({ status }) => status !== 'archived');
  const only = projects.length === 1 ? projects[0]?.id : undefined;
  const projectId = project?.id ?? chosen ?? only ?? '';
  const add = useAddAgent();
  const change = (changed: Partial<AgentDraft>) => setDraft((before) => ({ ...before, ...changed }));
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (add.isPending) return;
    const form = new FormData(event.currentTarget);
    add.mutate(
      {
        draft,
        id: formText(form, 'id'),
        projectId: projectId === '' ? undefined : projectId,
        saysHello: form.has('hello'),
      },
      { onSuccess: ({ aid, projectId }) => onAdded(aid, projectId) },
    );
  };
  return (
    <Dialog
      open
      size="lg"
      onOpenChange={(open) => !open && onClose()}
      title={project ? t('settings.addAgentTo', { project: project.name }) : t('settings.addAgent')}
      testId="agent-dialog"
    >
      <form onSubmit={submit} onKeyDown={submitOnModEnter} onChange={forgetError(add)}>
        <DialogBody>
          <NoCoordinator />
          <ProviderTiles provider={draft.provider} onChange={(provider) => change({ provider })} />
          <NameFields draft={draft} onChange={change} autoFocus />
          <ProviderFields draft={draft} onChange={change} />
          {!project && <ProjectField projectId={projectId} projects={projects} onChange={setChosen} />}
          <More draft={draft} onChange={change} />
        </DialogBody>
        <AddAgentFoot
          joins={projectId !== ''}
          isPending={add.isPending}
          onClose={onClose}
          error={add.error && <ErrorNote error={add.error} title={add.isMade && t('settings.notJoined')} />}
        />
      </form>
    </Dialog>
  );
}

/** Enter alone makes a line in the larger fields. */
function submitOnModEnter(event: KeyboardEvent<HTMLFormElement>): void {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  event.currentTarget.requestSubmit();
}

function NoCoordinator() {
  const { t } = useTranslation();
  const { data } = useQuery(coordinatorsQuery());
  if (!data || data.some(({ alive }) => alive)) return null;
  return (
    <p className="flex items-start gap-2 rounded-md border border-amber-line bg-amber-soft px-3 py-2 text-12 text-amber-ink">
      <Icon name="host" size={14} className="mt-px" />
      {t('settings.nobodyStarts')}
    </p>
  );
}

interface MoreProps {
  readonly draft: AgentDraft;
  readonly onChange: (change: Partial<AgentDraft>) => void;
}

/** What can be decided later, too; only the id cannot. */
function More({ draft, onChange }: MoreProps) {
  const { t } = useTranslation();
  return (
    <details
      className="group rounded-md border border-line bg-canvas"
      data-testid="agent-more"
      // A field that is refused must be seen.
      onInvalidCapture={({ currentTarget }) => {
        currentTarget.open = true;
      }}
    >
      <summary className="flex min-h-8 cursor-pointer list-none items-center gap-2 rounded-md px-2.5 py-1 text-12 text-ink-2 pointer-coarse:min-h-10 [&::-webkit-details-marker]:hidden">
        <Icon name="chevronRight" size={12} className="group-open:rotate-90" />
        {t('settings.moreFields')}
        <span className="min-w-0 truncate text-ink-3">{t('settings.moreFieldsHint')}</span>
      </summary>
      <div className="flex flex-col gap-4 border-t border-line p-3">
        <PromptField draft={draft} onChange={onChange} />
        <LabelsField draft={draft} onChange={onChange} />
        <IdField hint={t('settings.agentIdHint')} testId="agent-id" />
      </div>
    </details>
  );
}
