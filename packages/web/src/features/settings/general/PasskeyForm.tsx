import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../components/Button.tsx';
import { ErrorNote } from '../../../components/ErrorNote.tsx';
import { Field, Input } from '../../../components/Field.tsx';
import { isCode } from '../../../lib/api/api-error.ts';
import { callApi } from '../../../lib/api/call-api.ts';
import { forgetError } from '../../../lib/form.ts';
import { keys } from '../../../lib/queries/keys.ts';
import { toast } from '../../../lib/toast.ts';

/** Passkeys are taken as they were typed, spaces included. */
function typed(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value : '';
}

interface PasskeyFormProps {
  /** There is none yet: the person came by an invitation. */
  readonly isFirst: boolean;
}

/** Changes the person's own passkey; the current passkey is required. */
export function PasskeyForm({ isFirst }: PasskeyFormProps) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [isOpen, setIsOpen] = useState(isFirst);
  const change = useMutation({
    mutationFn: (form: FormData) =>
      callApi('changePasskey', {
        body: { ...(!isFirst && { current: typed(form, 'current') }), new: typed(form, 'new') },
      }),
    onSuccess: () => {
      setIsOpen(false);
      toast.success(t('settings.passkeyChanged'));
      void client.invalidateQueries({ queryKey: keys.me });
    },
  });
  const isWrong = isCode(change.error, 'unauthenticated');
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    change.mutate(new FormData(event.currentTarget));
  };
  const open = () => {
    change.reset();
    setIsOpen(true);
  };
  if (!isOpen) return <ClosedForm isFirst={isFirst} onOpen={open} />;
  return (
    <form onSubmit={submit} onChange={forgetError(change)} className="flex flex-col gap-3 px-4 py-3">
      {isFirst && <p className="text-13 text-pretty">{t('settings.passkeyFirst')}</p>}
      <Fields isFirst={isFirst} isWrong={isWrong} />
      {change.error && !isWrong && <ErrorNote error={change.error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={() => setIsOpen(false)}>{t('common.cancel')}</Button>
        <Button type="submit" variant="primary" isBusy={change.isPending} data-testid="passkey-save">
          {t(isFirst ? 'common.save' : 'settings.change')}
        </Button>
      </div>
    </form>
  );
}

function ClosedForm({ isFirst, onOpen }: PasskeyFormProps & { readonly onOpen: () => void }) {
  const { t } = useTranslation();
  return (
    <div className="flex items-center justify-between gap-4 px-4 py-3">
      <div className="min-w-0">
        <p className="text-13 font-medium">{t('settings.passkey')}</p>
        <p className="text-12 text-ink-2">{t(isFirst ? 'settings.passkeyFirst' : 'settings.passkeyHint')}</p>
      </div>
      <Button data-testid="passkey-change" onClick={onOpen}>
        {t('settings.change')}
      </Button>
    </div>
  );
}

/** `isWrong`: the server refused the current passkey. */
function Fields({ isFirst, isWrong }: PasskeyFormProps & { readonly isWrong: boolean }) {
  const { t } = useTranslation();
  return (
    <>
      {!isFirst && (
        <Field label={t('settings.passkeyNow')} error={isWrong && t('settings.passkeyWrong')}>
          {(control) => (
            <Input
              {...control}
              name="current"
              type="password"
              required
              autoFocus
              autoComplete="current-password"
              data-testid="passkey-current"
            />
          )}
        </Field>
      )}
      <Field label={t('settings.passkeyNew')} hint={t('settings.passkeyRule')}>
        {(control) => (
          <Input
            {...control}
            name="new"
            type="password"
            required
            minLength={8}
            maxLength={1_000}
            // On a phone it stands below what is seen first, and the link of the invitation works once.
            autoFocus={isFirst}
            autoComplete="new-password"
            data-testid="passkey-new"
          />
        )}
      </Field>
    </>
  );
}
