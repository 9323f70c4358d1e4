import type { KeyboardEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { IconButton } from '../../components/Button.tsx';
import { Icon } from '../../components/Icon.tsx';
import { isComposing } from '../../lib/is-composing.ts';

interface LogSearchProps {
  readonly words: string;
  readonly onWords: (words: string) => void;
  /** The current match, from 0. */
  readonly at: number;
  readonly count: number;
  readonly onStep: (by: 1 | -1) => void;
}

/** Enter goes to the next match, Shift+Enter to the previous one, Esc clears. */
export function LogSearch({ words, onWords, at, count, onStep }: LogSearchProps) {
  const { t } = useTranslation();
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent)) return;
    if (event.key === 'Enter') {
      event.preventDefault();
      onStep(event.shiftKey ? -1 : 1);
    }
    if (event.key === 'Escape' && words !== '') {
      event.preventDefault();
      onWords('');
    }
  };
  const isSought = words.trim() !== '';
  return (
    <search className="flex min-w-0 flex-1 items-center gap-1 @2xl:max-w-80">
      <label className="flex h-7 min-w-0 flex-1 items-center gap-2 rounded-md border border-line-strong bg-surface px-2 focus-within:outline-2 focus-within:outline-offset-1 focus-within:outline-accent pointer-coarse:h-9">
        <Icon name="search" size={14} className="text-ink-3" />
        <input
          type="text"
          aria-label={t('runs.search')}
          placeholder={t('runs.search')}
          data-testid="run-log-search"
          value={words}
          onChange={(event) => onWords(event.target.value)}
          onKeyDown={onKeyDown}
          className="min-w-0 flex-1 bg-transparent text-13 outline-none placeholder:text-ink-3 pointer-coarse:text-16"
        />
        <output className="num text-12 whitespace-nowrap text-ink-3">
          {isSought && (count > 0 ? t('runs.found', { at: at + 1, count }) : t('runs.notFound'))}
        </output>
      </label>
      {isSought && count > 0 && (
        <>
          <IconButton icon="arrowUp" label={t('runs.previous')} onClick={() => onStep(-1)} />
          <IconButton icon="arrowDown" label={t('runs.next')} onClick={() => onStep(1)} />
        </>
      )}
    </search>
  );
}
