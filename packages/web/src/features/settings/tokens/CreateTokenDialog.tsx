import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Field, Input, Select } from '../../../components/Field.tsx';
import { callApi } from '../../../lib/api/call-api.ts';
import { formText } from '../../../lib/form.ts';
import { keys } from '../../../lib/queries/keys.ts';
import { CreateDialog } from '../CreateDialog.tsx';
import { OneTimeSecret } from '../OneTimeSecret.tsx';

/** In days; 0 means until it is revoked. */
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
    // Not waited for: the token is shown now or never.
    onSuccess: () => void client.invalidateQueries({ queryKey: keys.tokens }),
  });
  const made = create.data;
  return (
    <CreateDialog
      title={t('settings.addToken')}
      testId="token"
      create={create}
      onClose={onClose}
      made={
        made && {
          name: made.name,
          shown: (
            <OneTimeSecret
              secret={made.token}
              label={t('settings.token')}
              hint={t('settings.tokenHint')}
              testId="token-once"
            />
          ),
        }
      }
    >
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
    </CreateDialog>
  );
}
