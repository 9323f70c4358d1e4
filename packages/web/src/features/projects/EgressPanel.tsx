import type { Project } from '@aizuchi/shared/contract/project';
import { isEgressEntry, MAX_EGRESS_ENTRIES } from '@aizuchi/shared/core/projects/rules/egress';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../components/Button.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Field, TextArea } from '../../components/Field.tsx';
import { Panel } from '../../components/Panel.tsx';
import { callApi } from '../../lib/api/call-api.ts';
import { formText } from '../../lib/form.ts';
import { keys } from '../../lib/queries/keys.ts';
import { toast } from '../../lib/toast.ts';
import { Choices } from './AgentRuleFields.tsx';
import { egressEntriesIn } from './egress-lines.ts';

interface EgressPanelProps {
  readonly project: Project;
  readonly canChange: boolean;
}

const MODES = ['any', 'list'] as const;

/** What the agents of the project may reach: owners change it, others read it. */
export function EgressPanel({ project, canChange }: EgressPanelProps) {
  const { t } = useTranslation();
  const [draft, setDraft] = useState({
    isList: project.egress !== undefined,
    text: project.egress?.join('\n') ?? '',
  });
  const save = useSaveEgress(project);
  const entries = egressEntriesIn(draft.text);
  const fault = useFault(draft.isList ? entries : []);
  const change = (event: FormEvent<HTMLFormElement>) => {
    const form = new FormData(event.currentTarget);
    const isList = formText(form, 'egressMode') === 'list';
    // The field is not there while everything is allowed, and comes back as it was.
    setDraft({ isList, text: form.has('egress') ? formText(form, 'egress') : draft.text });
    if (save.isError) save.reset();
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (fault === undefined) save.mutate(draft.isList ? entries : null);
  };
  return (
    <Panel title={t('projectRules.egress.title')}>
      <form
        onSubmit={submit}
        onChange={change}
        className="flex flex-col gap-4 p-4"
        data-testid="project-egress"
      >
        <fieldset disabled={!canChange} className="contents">
          <Choices
            name="egressMode"
            legend={t('projectRules.egress.legend')}
            chosen={draft.isList ? 'list' : 'any'}
            choices={MODES.map((value) => ({
              value,
              label: t(`projectRules.egress.mode.${value}`),
              hint: t(`projectRules.egress.modeHint.${value}`),
            }))}
          />
          {draft.isList && (
            <Field
              label={t('projectRules.egress.hosts')}
              hint={t('projectRules.egress.hostsHint')}
              error={fault}
            >
              {(control) => (
                <TextArea
                  {...control}
                  name="egress"
                  autoComplete="off"
                  autoCapitalize="off"
                  spellCheck={false}
                  className="font-mono"
                  defaultValue={draft.text}
                />
              )}
            </Field>
          )}
        </fieldset>
        {save.error && <ErrorNote error={save.error} />}
        {canChange && (
          <div className="flex justify-end">
            <Button type="submit" variant="primary" isBusy={save.isPending} disabled={fault !== undefined}>
              {t('common.save')}
            </Button>
          </div>
        )}
      </form>
    </Panel>
  );
}

/** What is wrong with the list, with the entry named. */
function useFault(entries: readonly string[]): string | undefined {
  const { t } = useTranslation();
  const wrong = entries.find((entry) => !isEgressEntry(entry));
  if (wrong !== undefined) return t('projectRules.egress.wrong', { entry: wrong });
  return entries.length > MAX_EGRESS_ENTRIES
    ? t('projectRules.egress.tooMany', { most: MAX_EGRESS_ENTRIES })
    : undefined;
}

function useSaveEgress(project: Project) {
  const { t } = useTranslation();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (egress: string[] | null) =>
      callApi('updateProject', { params: { pid: project.id }, body: { egress } }),
    onSuccess: async (changed) => {
      client.setQueryData(keys.projectDetail(project.id), changed);
      toast.success(t('common.saved'));
      await client.invalidateQueries({ queryKey: keys.projects });
    },
  });
}
