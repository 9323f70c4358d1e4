import type { Agent } from '@aizuchi/shared/contract/agent';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Field, Input, Select } from '../../../components/Field.tsx';
import { callApi } from '../../../lib/api/call-api.ts';
import { formText } from '../../../lib/form.ts';
import { keys } from '../../../lib/queries/keys.ts';
import { CreateDialog } from '../CreateDialog.tsx';
import { IdField } from '../IdField.tsx';
import { ACCESS_LEVELS, toAccessLevel } from './access-levels.ts';
import { InviteLink } from './InviteLink.tsx';

interface CreatePersonDialogProps {
  readonly onClose: () => void;
  readonly onCreated?: (person: Agent) => void;
}

/** Adds a person, who signs in first by a link that is shown only once. */
export function CreatePersonDialog({ onClose, onCreated }: CreatePersonDialogProps) {
  const { t } = useTranslation();
  const client = useQueryClient();
  // When the invitation fails, the next attempt is for the same person.
  const created = useRef<Agent>(undefined);
  const create = useMutation({
    mutationFn: async (form: FormData) => {
      const id = formText(form, 'id');
      created.current ??= await callApi('createAgent', {
        body: {
          type: 'human',
          name: formText(form, 'name'),
          accessLevel: toAccessLevel(formText(form, 'accessLevel')),
          credential: false,
          ...(id !== '' && { id }),
        },
      });
      const person = created.current;
      const invite = await callApi('inviteAgent', { params: { aid: person.id } });
      onCreated?.(person);
      return { person, invite };
    },
    // Not waited for: the link is shown now or never.
    onSettled: () => void client.invalidateQueries({ queryKey: keys.agents }),
  });
  const made = create.data;
  return (
    <CreateDialog
      title={t('settings.addPerson')}
      testId="person"
      create={create}
      onClose={onClose}
      made={
        made && {
          name: made.person.name,
          shown: <InviteLink invite={made.invite} />,
        }
      }
    >
      <Field label={t('settings.name')}>
        {(control) => (
          <Input
            {...control}
            name="name"
            required
            maxLength={200}
            autoFocus
            autoComplete="off"
            data-testid="person-name"
          />
        )}
      </Field>
      <IdField hint={t('settings.personIdHint')} testId="person-id" />
      <Field label={t('settings.level')} hint={t('settings.levelHint')}>
        {(control) => (
          <Select {...control} name="accessLevel" defaultValue="member" data-testid="person-level">
            {ACCESS_LEVELS.map((level) => (
              <option key={level} value={level}>
                {t(`app.accessLevel.${level}`)}
              </option>
            ))}
          </Select>
        )}
      </Field>
    </CreateDialog>
  );
}
