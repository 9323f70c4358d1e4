import { ROUTE_TABLE } from 'virtual:route-table';
import type { Agent } from '@aizuchi/shared/contract/agent';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, buttonClass, IconButton } from '../../../components/Button.tsx';
import { Dialog, DialogBody, DialogFoot } from '../../../components/Dialog.tsx';
import { ErrorNote } from '../../../components/ErrorNote.tsx';
import { Field, Select } from '../../../components/Field.tsx';
import { Icon } from '../../../components/Icon.tsx';
import { fillPath } from '../../../lib/api/address.ts';
import { callApi } from '../../../lib/api/call-api.ts';
import { invalidate } from '../../../lib/live/invalidate.ts';
import { keys } from '../../../lib/queries/keys.ts';
import { agentsQuery } from '../../../lib/queries/queries.ts';

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
  const erase = useErase(agent.id);
  const people = agents.filter(({ type }) => type === 'human');
  const person = people.find(({ id }) => id === chosen);
  const choose = (id: string) => {
    setChosen(id);
    setIsAsking(false);
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
        {(error ?? erase.error) && <ErrorNote error={error ?? erase.error} />}
        {erase.isSuccess && (
          <p role="status" data-testid="memory-person-erased" className="text-13 text-green-ink">
            {t('memoryPage.erased')}
          </p>
        )}
      </DialogBody>
      <DialogFoot>
        <Button onClick={onClose}>{t('common.close')}</Button>
        {person && (
          <a
            href={fillPath(ROUTE_TABLE.exportMemoryOfPerson.path, { aid: agent.id, personId: person.id })}
            download={`memory-${agent.id}-${person.id}.ndjson`}
            data-testid="memory-person-export"
            className={buttonClass()}
          >
            <Icon name="download" size={14} />
            {t('memoryPage.export')}
          </a>
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

function useErase(agentId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (personId: string) => callApi('eraseMemoryOfPerson', { params: { aid: agentId, personId } }),
    // Also when it was cut off: a part of it is gone.
    onSettled: () => invalidate(client, { queryKey: keys.memory(agentId) }),
  });
}
