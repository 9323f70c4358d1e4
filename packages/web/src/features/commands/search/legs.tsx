import clsx from 'clsx';
import { useTranslation } from 'react-i18next';
import { joined } from '../../../lib/joined.ts';

/** The legs of retrieval that are shown as bars, in this order; the others are named where they have found something. */
const SHOWN_LEGS = ['ngram', 'words', 'neighbour', 'recent_states', 'vector'] as const;
const OTHER_LEGS = ['about_time', 'actor', 'reply_chain', 'recent_events'] as const;
type Leg = (typeof SHOWN_LEGS)[number] | (typeof OTHER_LEGS)[number];

interface LegsProps {
  readonly hitSources: readonly string[];
  /** Whether there is a leg of vectors at all. */
  readonly hasVectors: boolean;
}

export function useLegNames(): (hitSources: readonly string[]) => string {
  const { t } = useTranslation();
  return (hitSources) =>
    joined(
      [...SHOWN_LEGS, ...OTHER_LEGS]
        .filter((leg) => hitSources.includes(leg))
        .map((leg) => t(`search.leg.${leg}`)),
      ', ',
    );
}

/** A bar for each leg, full where it has found the hit. */
export function LegBars({ hitSources, hasVectors }: LegsProps) {
  const { t } = useTranslation();
  const names = useLegNames()(hitSources);
  if (hitSources.length === 0) return null;
  return (
    <span
      role="img"
      aria-label={t('search.foundBy', { legs: names })}
      title={names}
      className="flex flex-none items-center gap-1"
    >
      {SHOWN_LEGS.map((leg) => (
        <Bar key={leg} isHit={hitSources.includes(leg)} isMissing={leg === 'vector' && !hasVectors} />
      ))}
    </span>
  );
}

/** The same in words, one line for each leg. */
export function LegList({ hitSources, hasVectors }: LegsProps) {
  const { t } = useTranslation();
  const legs: readonly Leg[] = [...SHOWN_LEGS, ...OTHER_LEGS.filter((leg) => hitSources.includes(leg))];
  return (
    <dl className="flex flex-col gap-1 text-12 text-ink-2">
      {legs.map((leg) => {
        const isHit = hitSources.includes(leg);
        const isMissing = leg === 'vector' && !hasVectors;
        return (
          <div key={leg} className="flex items-center gap-3">
            <dt className="w-16 flex-none">{t(`search.leg.${leg}`)}</dt>
            <dd className="flex min-w-0 flex-1 items-center gap-3">
              <span aria-hidden="true" className="flex-1">
                <Bar isHit={isHit} isMissing={isMissing} isLong />
              </span>
              <span className="w-16 flex-none text-right text-ink-3">
                {isMissing ? t('search.legMissing') : isHit ? t('search.legHit') : t('search.legNone')}
              </span>
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

function Bar({
  isHit,
  isMissing,
  isLong = false,
}: {
  readonly isHit: boolean;
  readonly isMissing: boolean;
  readonly isLong?: boolean;
}) {
  return (
    <span
      className={clsx(
        'block',
        isLong ? 'w-full' : 'w-6',
        isMissing ? 'border-t border-dashed border-ink-3' : 'h-1 rounded-[1px]',
        !isMissing && (isHit ? 'bg-accent' : 'bg-line'),
      )}
    />
  );
}
