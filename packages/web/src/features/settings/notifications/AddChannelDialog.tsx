import type { CreateChannelBody } from '@aizuchi/shared/contract/notification';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { Field, Input } from '../../../components/Field.tsx';
import { callApi } from '../../../lib/api/call-api.ts';
import { formText } from '../../../lib/form.ts';
import { keys } from '../../../lib/queries/keys.ts';
import { CreateDialog } from '../CreateDialog.tsx';
import { OneTimeSecret } from '../OneTimeSecret.tsx';

interface AddChannelDialogProps {
  readonly kind: 'webhook' | 'ntfy';
  readonly onClose: () => void;
}

export function AddChannelDialog({ kind, onClose }: AddChannelDialogProps) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const create = useMutation({
    mutationFn: (form: FormData) => callApi('createNotificationChannel', { body: bodyOf(kind, form) }),
    // Not waited for: the secret is shown now or never.
    onSuccess: () => void client.invalidateQueries({ queryKey: keys.notifications }),
  });
  const made = create.data;
  const isDone = made !== undefined && made.secret === undefined;
  useEffect(() => {
    if (isDone) onClose();
  }, [isDone, onClose]);
  if (isDone) return null;
  return (
    <CreateDialog
      title={t(kind === 'webhook' ? 'notify.addWebhook' : 'notify.addNtfy')}
      testId="channel"
      create={create}
      onClose={onClose}
      made={
        made?.secret === undefined
          ? undefined
          : {
              name: made.name,
              shown: (
                <OneTimeSecret
                  secret={made.secret}
                  label={t('notify.secret')}
                  hint={t('notify.secretHint')}
                  testId="channel-once"
                />
              ),
            }
      }
    >
      <Field label={t('notify.name')}>
        {(control) => (
          <Input
            {...control}
            name="name"
            required
            maxLength={60}
            autoFocus
            autoComplete="off"
            data-testid="channel-name"
          />
        )}
      </Field>
      {kind === 'webhook' ? <WebhookFields /> : <NtfyFields />}
    </CreateDialog>
  );
}

function WebhookFields() {
  const { t } = useTranslation();
  return (
    <Field label={t('notify.url')} hint={t('notify.urlHint')}>
      {(control) => (
        <Input {...control} name="url" type="url" required placeholder="https://" data-testid="channel-url" />
      )}
    </Field>
  );
}

function NtfyFields() {
  const { t } = useTranslation();
  return (
    <>
      <Field label={t('notify.server')}>
        {(control) => <Input {...control} name="server" type="url" required defaultValue="https://ntfy.sh" />}
      </Field>
      <Field label={t('notify.topic')} hint={t('notify.topicHint')}>
        {(control) => (
          <Input
            {...control}
            name="topic"
            required
            maxLength={64}
            pattern="[\w\-]+"
            autoComplete="off"
            data-testid="channel-topic"
          />
        )}
      </Field>
      <Field label={t('notify.token')}>
        {(control) => <Input {...control} name="token" type="password" maxLength={200} autoComplete="off" />}
      </Field>
    </>
  );
}

function bodyOf(kind: 'webhook' | 'ntfy', form: FormData): CreateChannelBody {
  const name = formText(form, 'name');
  if (kind === 'webhook') return { kind, name, url: formText(form, 'url') };
  const token = formText(form, 'token');
  return {
    kind,
    name,
    server: formText(form, 'server'),
    topic: formText(form, 'topic'),
    ...(token !== '' && { token }),
  };
}
