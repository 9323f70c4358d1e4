import clsx from 'clsx';
import { useTranslation } from 'react-i18next';
import { KeyCap } from '../../../components/KeyCap.tsx';
import { joined } from '../../../lib/joined.ts';

interface SearchFootProps {
  /** Undefined: nothing was found yet. */
  readonly total: number | undefined;
  readonly ms: number | undefined;
}

/** The keys, what the bars mean, how much was found and in which time. */
export function SearchFoot({ total, ms }: SearchFootProps) {
  const { t } = useTranslation();
  return (
    <footer
      className={clsx(
        'num flex flex-none flex-wrap items-center gap-x-4 gap-y-1 border-t border-line px-4 py-2 text-11 text-ink-2',
        // Where there is no room for the keys, nothing stands in it before something was found.
        total === undefined && 'max-md:border-t-0 max-md:py-0',
      )}
    >
      <span className="flex items-center gap-x-4 max-md:hidden">
        <Key caps={['↑', '↓']} text={t('search.keys.choose')} />
        <Key caps={['↵']} text={t('search.keys.open')} />
        <Key caps={['Tab']} text={t('search.keys.kind')} />
        <Key caps={['>']} text={t('search.keys.commands')} />
      </span>
      <span className="flex-1" />
      {total !== undefined && total > 0 && (
        <span className="text-ink-3 max-sm:hidden">{t('search.bars')}</span>
      )}
      <span role="status">
        {total !== undefined &&
          joined([
            t('search.found', { count: total }),
            ms !== undefined && t('search.ms', { ms: Math.round(ms) }),
          ])}
      </span>
    </footer>
  );
}

function Key({ caps, text }: { readonly caps: readonly string[]; readonly text: string }) {
  return (
    <span className="flex items-center gap-1">
      {caps.map((cap) => (
        <KeyCap key={cap}>{cap}</KeyCap>
      ))}
      {text}
    </span>
  );
}
