import type { MemoryEvent } from '@aizuchi/shared/contract/memory';
import clsx from 'clsx';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Time } from '../../../components/Time.tsx';
import { joined } from '../../../lib/joined.ts';
import type { MemoryPart } from '../use-memory.ts';
import { EventDetail } from './EventDetail.tsx';
import { titleOf } from './event-days.ts';

interface EventRowProps {
  readonly part: MemoryPart;
  readonly event: MemoryEvent;
  readonly projectName: (projectId: string) => string;
}

/** One event on the line of time: when, what, from where; opened, everything that is known of it. */
export function EventRow({ part, event, projectName }: EventRowProps) {
  const { t } = useTranslation();
  const [isOpen, setIsOpen] = useState(false);
  const { id, createdAt, source, actor, projectId, assistantState } = event;
  const title = titleOf(event);
  return (
    <li data-testid={`memory-event-${id}`} className="relative pl-4">
      <span
        aria-hidden="true"
        className={clsx(
          'absolute top-3 -left-[5px] size-2.25 rounded-full border',
          isOpen ? 'border-accent bg-accent' : 'border-ink-3 bg-canvas',
        )}
      />
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
        className="grid w-full grid-cols-[44px_minmax(0,1fr)] gap-x-2 rounded-md px-2 py-1.5 text-left hover:bg-hover focus-visible:-outline-offset-2 aria-expanded:bg-accent-soft"
      >
        <Time at={createdAt} format="clock" className="num text-12 leading-5 text-ink-2" />
        <span className="min-w-0">
          <span className="line-clamp-2 text-13 wrap-anywhere">
            <bdi>{title === '' ? t('memoryPage.noText') : title}</bdi>
          </span>
          <span className="block text-12 wrap-anywhere text-ink-2">
            {joined([
              t(`memoryPage.source.${source}`),
              actor,
              projectId === undefined ? t('memoryPage.general') : projectName(projectId),
              assistantState !== 'complete' && t(`memoryPage.reply.${assistantState}`),
            ])}
          </span>
        </span>
      </button>
      {isOpen && (
        <div className="mt-1 mb-2 rounded-md border border-line bg-surface p-3">
          <EventDetail part={part} eventId={id} />
        </div>
      )}
    </li>
  );
}
