import type { MemoryHit } from '@aizuchi/shared/contract/memory';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Time } from '../../../components/Time.tsx';
import { LegBars, LegList } from '../../commands/search/legs.tsx';
import { Revisions } from '../states/Revisions.tsx';
import { EventDetail } from '../timeline/EventDetail.tsx';
import type { MemoryPart } from '../use-memory.ts';

interface HitRowProps {
  readonly part: MemoryPart;
  readonly hit: MemoryHit;
  readonly hasVectors: boolean;
}

/** One hit: its text, what it is, when, which legs found it, and its score; opened, what is known about it. */
export function HitRow({ part, hit, hasVectors }: HitRowProps) {
  const { t } = useTranslation();
  const [isOpen, setIsOpen] = useState(false);
  const { rank, type, id, text, createdAt, hitSources, score, sourceEvents } = hit;
  const eventId = type === 'event' ? id : type === 'affect' ? sourceEvents[0] : undefined;
  return (
    <li data-testid={`memory-hit-${id}`} className="border-b border-line last:border-b-0">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
        className="num grid w-full grid-cols-[24px_minmax(0,1fr)_auto] items-center gap-x-3 gap-y-1 px-4 py-1.5 text-left text-13 hover:bg-hover focus-visible:-outline-offset-2 aria-expanded:bg-accent-soft md:grid-cols-[24px_minmax(0,1fr)_64px_96px_136px_48px] md:px-5 pointer-coarse:min-h-10"
      >
        <span className="text-right text-12 text-ink-3">{rank}</span>
        <span className="line-clamp-2 min-w-0 wrap-anywhere md:line-clamp-1">
          <bdi>{text}</bdi>
        </span>
        <span className="text-12 text-ink-2 max-md:hidden">{t(`memoryPage.hitType.${type}`)}</span>
        <span className="flex items-center gap-3 max-md:col-start-2 md:contents">
          <Time at={createdAt} className="text-12 whitespace-nowrap text-ink-2" />
          <span>
            <LegBars hitSources={hitSources} hasVectors={hasVectors} />
          </span>
        </span>
        <span className="text-right text-12 text-ink-2">
          <span className="sr-only">{t('memoryPage.score')} </span>
          {score.toFixed(3)}
        </span>
      </button>
      {isOpen && (
        <div className="grid gap-4 border-t border-line bg-canvas px-4 py-3 md:grid-cols-[minmax(0,1fr)_280px] md:px-5">
          <div className="min-w-0">
            {eventId === undefined ? (
              <>
                <p className="mb-2 text-13 wrap-anywhere whitespace-pre-wrap">{text}</p>
                <Revisions part={part} stateId={id} />
              </>
            ) : (
              <EventDetail part={part} eventId={eventId} />
            )}
          </div>
          <section className="min-w-0">
            <h2 className="mb-1 text-12 font-semibold">{t('search.why')}</h2>
            <LegList hitSources={hitSources} hasVectors={hasVectors} />
          </section>
        </div>
      )}
    </li>
  );
}
