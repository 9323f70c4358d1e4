import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { earlyWords } from './menu-store.ts';

interface EarlyWordsProps {
  readonly onClose: () => void;
}

/** Takes what is typed while the menu is being loaded: the keys would be shortcuts of the page otherwise. */
export function EarlyWords({ onClose }: EarlyWordsProps) {
  const { t } = useTranslation();
  const focus = useCallback((input: HTMLInputElement | null) => input?.focus({ preventScroll: true }), []);
  return (
    <search className="fixed inset-0 z-50 bg-ink/25 dark:bg-sunken/70">
      <input
        ref={focus}
        aria-label={t('app.openCommands')}
        maxLength={1_000}
        onChange={({ target }) => earlyWords.set(target.value)}
        onKeyDown={({ key }) => key === 'Escape' && onClose()}
        data-testid="command-early"
        className="mx-auto mt-[8dvh] block h-11 w-[calc(100%-32px)] max-w-[560px] rounded-md border border-line-strong bg-surface px-4 text-14 outline-none max-sm:mt-0"
      />
    </search>
  );
}
