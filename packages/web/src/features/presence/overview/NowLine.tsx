import { useTranslation } from 'react-i18next';
import { countsOf, type OverviewAgent } from './overview.ts';

export const NOW_TONES: Partial<Record<OverviewAgent['state'], string>> = {
  busy: 'text-accent-ink',
  waiting_for_person: 'text-amber-ink',
  failed: 'text-red-ink',
};

/** "Working 1  Waiting for you 2  Failed 1"; nothing while nothing happens. */
export function NowLine({ agents }: { readonly agents: readonly OverviewAgent[] }) {
  const { t } = useTranslation();
  return (
    <span data-testid="project-now" className="flex flex-wrap gap-x-3 text-12 empty:hidden">
      {countsOf(agents).map(({ state, count }) => (
        <span key={state} className={NOW_TONES[state]}>
          {t(`agents.state.${state}`)} <span className="num">{count}</span>
        </span>
      ))}
    </span>
  );
}
