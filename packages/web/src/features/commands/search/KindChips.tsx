import clsx from 'clsx';
import { useTranslation } from 'react-i18next';
import { type Counts, type Filter, KINDS } from './hits.ts';

interface KindChipsProps {
  readonly filter: Filter;
  readonly counts: Counts;
  readonly onChange: (filter: Filter) => void;
}

/** Which kinds are shown, each with its count. */
export function KindChips({ filter, counts, onChange }: KindChipsProps) {
  const { t } = useTranslation();
  const all = KINDS.reduce((sum, kind) => sum + counts[kind], 0);
  return (
    <fieldset
      aria-label={t('search.kinds')}
      className="flex flex-none flex-wrap gap-1.5 border-b border-line px-4 py-2"
    >
      {(['all', ...KINDS] as const).map((kind) => (
        <button
          key={kind}
          type="button"
          aria-pressed={kind === filter}
          data-testid={`search-kind-${kind}`}
          // The words keep the focus.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onChange(kind)}
          className={clsx(
            'num inline-flex h-6 items-center gap-1.5 rounded-sm border px-2 text-12 pointer-coarse:min-h-9',
            kind === filter
              ? 'border-accent-line bg-accent-soft text-accent-ink'
              : 'border-line bg-surface text-ink-2 hover:bg-hover',
          )}
        >
          {t(`search.kind.${kind}`)} <span>{kind === 'all' ? all : counts[kind]}</span>
        </button>
      ))}
    </fieldset>
  );
}
