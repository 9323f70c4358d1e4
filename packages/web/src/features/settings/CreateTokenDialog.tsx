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
import { SecretOnce } from './SecretOnce.tsx';

/** In days; 0: until it is revoked. */
const LIFETIMES = [30, 90, 365, 0];

export function CreateTokenDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const create = useMutation({
    mutationFn: (form: FormData) => {
      const days = Number(formText(form, 'days'));
      return callApi('createToken', {
        body: { name: formText(form, 'name'), ...(days > 0 && { expiresInDays: days }) },
      });
    },
    onSuccess: () => client.invalidateQueries({ queryKey: keys.tokens }),
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
      title={made ? t('settings.made', { name: made.name }) : t('settings.addToken')}
      testId="token-dialog"
    >
      {made ? (
        <>
          <DialogBody>
            <SecretOnce
              secret={made.token}
              label={t('settings.token')}
              hint={t('settings.tokenHint')}
              testId="token-once"
            />
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
            <Field label={t('settings.tokenName')} hint={t('settings.tokenNameHint')}>
              {(control) => (
                <Input
                  {...control}
                  name="name"
                  required
                  maxLength={100}
                  autoFocus
                  autoComplete="off"
                  data-testid="token-name"
                />
              )}
            </Field>
            <Field label={t('settings.lifetime')}>
              {(control) => (
                <Select {...control} name="days" defaultValue={90}>
                  {LIFETIMES.map((days) => (
                    <option key={days} value={days}>
                      {days === 0 ? t('settings.noExpiry') : t('settings.days', { count: days })}
                    </option>
                  ))}
                </Select>
              )}
            </Field>
            {create.error && <ErrorNote error={create.error} />}
          </DialogBody>
          <DialogFoot>
            <Button onClick={onClose}>{t('common.cancel')}</Button>
            <Button type="submit" variant="primary" isBusy={create.isPending} data-testid="token-save">
              {t('common.create')}
            </Button>
          </DialogFoot>
        </form>
      )}
    </Dialog>
  );
}
