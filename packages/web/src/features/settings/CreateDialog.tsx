import type { FormEvent, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../components/Button.tsx';
import { Dialog, DialogBody, DialogFoot } from '../../components/Dialog.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { type FormAction, forgetError } from '../../lib/form.ts';

interface CreateDialogProps {
  readonly title: string;
  /** The prefix of the test ids: `agent` gives agent-dialog and agent-save. */
  readonly testId: string;
  readonly create: FormAction & { readonly mutate: (form: FormData) => void };
  /** The fields of the form. */
  readonly children: ReactNode;
  /** Present once it is created: its name, and the secret that is shown only now. */
  readonly made: { readonly name: string; readonly shown: ReactNode } | undefined;
  readonly onClose: () => void;
}

/** Creates something that has a secret: first the form, then the secret, which is shown only once. */
export function CreateDialog({ title, testId, create, children, made, onClose }: CreateDialogProps) {
  const { t } = useTranslation();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    create.mutate(new FormData(event.currentTarget));
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={made ? t('settings.made', { name: made.name }) : title}
      testId={`${testId}-dialog`}
      asksBeforeClose={made ? 'always' : 'written'}
    >
      {made ? (
        <>
          <DialogBody>{made.shown}</DialogBody>
          <DialogFoot>
            <Button variant="primary" onClick={onClose}>
              {t('settings.done')}
            </Button>
          </DialogFoot>
        </>
      ) : (
        <form onSubmit={submit} onChange={forgetError(create)}>
          <DialogBody>
            {children}
            {create.error !== null && <ErrorNote error={create.error} />}
          </DialogBody>
          <DialogFoot>
            <Button onClick={onClose}>{t('common.cancel')}</Button>
            <Button type="submit" variant="primary" isBusy={create.isPending} data-testid={`${testId}-save`}>
              {t('common.create')}
            </Button>
          </DialogFoot>
        </form>
      )}
    </Dialog>
  );
}
