import type { Agent } from '@aizuchi/shared/contract/agent';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, IconButton } from '../../../components/Button.tsx';
import { Dialog, DialogBody, DialogFoot } from '../../../components/Dialog.tsx';
import { ErrorNote } from '../../../components/ErrorNote.tsx';
import { Field, Select } from '../../../components/Field.tsx';
import { callApi, readFile } from '../../../lib/api/call-api.ts';
import { agentsQuery } from '../../../lib/queries/queries.ts';
import { saveAsFile } from '../../../lib/save-as-file.ts';
import { forgetShown } from '../use-memory.ts';

/** For owners: gives out, or erases, what this memory holds of a person. */
export function PersonDataButton({ agent }: { readonly agent: Agent }) {
  const { t } = useTranslation();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <IconButton
        icon="people"
        size="md"
        variant="default"
        label={t('memoryPage.personData')}
        data-testid="memory-person"
        onClick={() => setIsOpen(true)}
      />
      <Dialog
        title={t('memoryPage.personData')}
        description={t('memoryPage.personDataOf', { name: agent.name })}
        open={isOpen}
        onOpenChange={setIsOpen}
      >
        <PersonData agent={agent} onClose={() => setIsOpen(false)} />
      </Dialog>
    </>
  );
}

function PersonData({ agent, onClose }: { readonly agent: Agent; readonly onClose: () => void }) {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState('');
  const [isAsking, setIsAsking] = useState(false);
  const { data: agents = [], error } = useQuery(agentsQuery());
  const save = useExport(agent.id);
  const erase = useErase(agent.id);
  const people = agents.filter(({ type }) => type === 'human');
  const person = people.find(({ id }) => id === chosen);
  const failed = error ?? save.error ?? erase.error;
  const choose = (id: string) => {
    setChosen(id);
    setIsAsking(false);
    save.reset();
    erase.reset();
  };
  return (
    <>
      <DialogBody>
        <Field label={t('memoryPage.whose')}>
          {(control) => (
            <Select
              {...control}
              value={chosen}
              data-testid="memory-person-choice"
              onChange={({ target }) => choose(target.value)}
            >
              <option value="">{t('memoryPage.choosePerson')}</option>
              {people.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <p className="text-13 text-ink-2">{t('memoryPage.personWhat')}</p>
        {isAsking && person && (
          <div
            role="alert"
            className="rounded-md border border-red-line bg-red-soft px-3 py-2 text-13 text-red-ink"
          >
            <p className="font-semibold">{t('memoryPage.eraseTitle', { name: person.name })}</p>
            <p>{t('memoryPage.eraseText')}</p>
          </div>
        )}
        {failed && <ErrorNote error={failed} />}
        {erase.isSuccess && (
          <p role="status" data-testid="memory-person-erased" className="text-13 text-green-ink">
            {t('memoryPage.erased')}
          </p>
        )}
      </DialogBody>
      <DialogFoot>
        <Button onClick={onClose}>{t('common.close')}</Button>
        {person && (
          <Button
            icon="download"
            isBusy={save.isPending}
            data-testid="memory-person-export"
            onClick={() => save.mutate(person.id)}
          >
            {t('memoryPage.export')}
          </Button>
        )}
        {person && (
          <Button
            variant="danger"
            isBusy={erase.isPending}
            data-testid="memory-person-erase"
            onClick={() =>
              isAsking ? erase.mutate(person.id, { onSuccess: () => setIsAsking(false) }) : setIsAsking(true)
            }
          >
            {isAsking ? t('memoryPage.eraseNow') : t('memoryPage.erase')}
          </Button>
        )}
      </DialogFoot>
    </>
  );
}

function useExport(agentId: string) {
  return useMutation({
    mutationFn: (personId: string) =>
      readFile('exportMemoryOfPerson', { params: { aid: agentId, personId } }),
    onSuccess: (lines, personId) => saveAsFile(`memory-${agentId}-${personId}.ndjson`, lines),
  });
}

function useErase(agentId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (personId: string) => callApi('eraseMemoryOfPerson', { params: { aid: agentId, personId } }),
    // Also when it was cut off: a part of it is gone.
    onSettled: () => forgetShown(client, agentId),
  });
}
