import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../components/Button.tsx';
import { Dialog, DialogBody, DialogFoot } from '../../components/Dialog.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Field, Input, Select } from '../../components/Field.tsx';
import { callApi } from '../../lib/api/call-api.ts';
import { formText } from '../../lib/form.ts';
import { keys } from '../../lib/queries/keys.ts';
import { ACCESS_LEVELS, toAccessLevel } from './access-levels.ts';
import { IdField } from './IdField.tsx';
import { SecretOnce } from './SecretOnce.tsx';

/** Add a person; the passkey that comes back is shown this once. */
export function CreatePersonDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const create = useMutation({
    mutationFn: (form: FormData) => {
      const id = formText(form, 'id');
      return callApi('createAgent', {
        body: {
          type: 'human',
          name: formText(form, 'name'),
          accessLevel: toAccessLevel(formText(form, 'accessLevel')),
          credential: true,
          ...(id !== '' && { id }),
        },
      });
    },
    onSuccess: () => client.invalidateQueries({ queryKey: keys.agents }),
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    create.mutate(new FormData(event.currentTarget));
  };
  const made = create.data;
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={made ? t('settings.made', { name: made.name }) : t('settings.addPerson')}
      testId="person-dialog"
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
                hint={t('settings.personPasskeyHint')}
                testId="passkey-once"
              />
            )}
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
            {create.error && <ErrorNote error={create.error} />}
          </DialogBody>
          <DialogFoot>
            <Button onClick={onClose}>{t('common.cancel')}</Button>
            <Button type="submit" variant="primary" isBusy={create.isPending} data-testid="person-save">
              {t('common.create')}
            </Button>
          </DialogFoot>
        </form>
      )}
    </Dialog>
  );
}
