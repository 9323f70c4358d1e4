import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../components/Button.tsx';
import { KeyCap } from '../../../components/KeyCap.tsx';
import { isMac } from '../../../lib/is-mac.ts';

interface AddAgentFootProps {
  /** Without a project there is no chat to open. */
  readonly joins: boolean;
  readonly isPending: boolean;
  readonly onClose: () => void;
  readonly error: ReactNode;
}

/** It stays in view, and so does what went wrong. */
export function AddAgentFoot({ joins, isPending, onClose, error }: AddAgentFootProps) {
  const { t } = useTranslation();
  return (
    <div className="sticky bottom-0 flex flex-wrap items-center justify-end gap-x-2 gap-y-3 border-t border-line bg-surface px-4 py-3 sm:rounded-b-md">
      {error && <div className="w-full">{error}</div>}
      {joins && (
        <label className="mr-auto flex min-h-7 items-center gap-2 text-12 text-ink-2 max-sm:w-full">
          <input
            type="checkbox"
            name="hello"
            defaultChecked
            data-testid="agent-hello"
            className="size-4 accent-accent"
          />
          {t('settings.sayHello')}
        </label>
      )}
      <Button onClick={onClose}>{t('common.cancel')}</Button>
      <Button type="submit" variant="primary" isBusy={isPending} data-testid="agent-save">
        {t(joins ? 'settings.addAndOpen' : 'settings.addOnly')}
        <span aria-hidden="true" className="flex pointer-coarse:hidden">
          <KeyCap>{isMac ? '⌘↵' : 'Ctrl ↵'}</KeyCap>
        </span>
      </Button>
    </div>
  );
}
