import type { Agent } from '@aizuchi/shared/contract/agent';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toast } from 'sonner';
import { Button } from '../../../components/Button.tsx';
import { ErrorNote } from '../../../components/ErrorNote.tsx';
import { Panel } from '../../../components/Panel.tsx';
import { callApi } from '../../../lib/api/call-api.ts';
import { keys } from '../../../lib/queries/keys.ts';
import { AgentFields } from './AgentFields.tsx';
import { agentDraftOf, needsRestart, updateBodyOf } from './agent-draft.ts';
import { agentQuery } from './agent-queries.ts';
import { RestartNote } from './RestartNote.tsx';

/** Changes an agent. What it is started with takes effect at its next start. */
export function AgentForm({ agent }: { readonly agent: Agent }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [draft, setDraft] = useState(() => agentDraftOf(agent));
  const [isOld, setIsOld] = useState(false);
  const save = useMutation({
    mutationFn: () => callApi('updateAgent', { params: { aid: agent.id }, body: updateBodyOf(draft) }),
    onSuccess: async (changed) => {
      if (needsRestart(agentDraftOf(agent), agentDraftOf(changed))) setIsOld(true);
      client.setQueryData(agentQuery(agent.id).queryKey, changed);
      toast.success(t('common.saved'));
      await client.invalidateQueries({ queryKey: keys.agents });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <Panel title={t('settings.edit')}>
      <form onSubmit={submit} className="flex flex-col gap-4 p-4">
        <AgentFields draft={draft} onChange={(change) => setDraft({ ...draft, ...change })} />
        {save.error && <ErrorNote error={save.error} />}
        {isOld && <RestartNote agentId={agent.id} onDone={() => setIsOld(false)} />}
        <div className="flex justify-end">
          <Button type="submit" variant="primary" isBusy={save.isPending} data-testid="agent-save">
            {t('common.save')}
          </Button>
        </div>
      </form>
    </Panel>
  );
}
