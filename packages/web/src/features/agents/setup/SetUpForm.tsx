import type { FormEvent, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../components/Button.tsx';
import { ErrorNote } from '../../../components/ErrorNote.tsx';
import { Panel } from '../../../components/Panel.tsx';
import { type FormAction, forgetError } from '../../../lib/form.ts';

interface SetUpFormProps {
  readonly title: string;
  readonly testId: string;
  /** The fields differ from what is stored. */
  readonly isChanged: boolean;
  readonly save: FormAction;
  readonly onSave: () => void;
  /** A sentence beside the button. */
  readonly note?: ReactNode;
  readonly children: ReactNode;
}

/** One part of an agent's set-up, which is saved by itself. */
export function SetUpForm({ title, testId, isChanged, save, onSave, note, children }: SetUpFormProps) {
  const { t } = useTranslation();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isChanged && !save.isPending) onSave();
  };
  return (
    <Panel title={title}>
      <form onSubmit={submit} onChange={forgetError(save)} data-testid={testId}>
        <div className="flex flex-col gap-4 p-3">
          {children}
          {save.error !== null && <ErrorNote error={save.error} />}
        </div>
        <div className="flex min-h-9 items-center gap-2 border-t border-line py-1 pr-1.5 pl-3">
          <span className="num min-w-0 flex-1 text-12 text-ink-3">{note}</span>
          {/* Not disabled: the focus would be lost after saving. */}
          <Button
            type="submit"
            size="sm"
            variant={isChanged ? 'primary' : 'off'}
            aria-disabled={!isChanged || undefined}
            isBusy={save.isPending}
            data-testid={`${testId}-save`}
          >
            {t('common.save')}
          </Button>
        </div>
      </form>
    </Panel>
  );
}
