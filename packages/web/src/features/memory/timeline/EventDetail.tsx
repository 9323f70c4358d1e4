import type { MemoryEventDetail } from '@aizuchi/shared/contract/memory';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../components/Button.tsx';
import { Chip } from '../../../components/Chip.tsx';
import { ErrorNote } from '../../../components/ErrorNote.tsx';
import { PhaseLine } from '../../../components/Spinner.tsx';
import { eventQuery, type MemoryPart } from '../use-memory.ts';
import { useMemoryRights } from '../use-memory-rights.ts';
import { DeleteEventDialog } from './DeleteEventDialog.tsx';

interface EventDetailProps {
  readonly part: MemoryPart;
  readonly eventId: string;
}

/** What was said, and what has grown out of it: the feeling, what it is about, threads and links. */
export function EventDetail({ part, eventId }: EventDetailProps) {
  const { t } = useTranslation();
  const [isDeleting, setIsDeleting] = useState(false);
  const { data, error, refetch } = useQuery(eventQuery(part, eventId));
  const { mayChange } = useMemoryRights();
  if (error) return <ErrorNote error={error} onRetry={() => void refetch()} />;
  if (!data) return <PhaseLine>{t('common.loading')}</PhaseLine>;
  const { event } = data;
  return (
    <div className="flex flex-col gap-3 text-13">
      {event.caption !== undefined && <Said by={t('memoryPage.picture')}>{event.caption}</Said>}
      {event.userText !== undefined && (
        <Said by={event.actor ?? t('memoryPage.person')}>{event.userText}</Said>
      )}
      {event.assistantText !== undefined && <Said by={t('memoryPage.agent')}>{event.assistantText}</Said>}
      <Grown detail={data} />
      {mayChange(event) && (
        <Button
          size="sm"
          variant="danger"
          icon="trash"
          data-testid="memory-event-delete"
          className="self-start"
          onClick={() => setIsDeleting(true)}
        >
          {t('memoryPage.forgetEvent')}
        </Button>
      )}
      <DeleteEventDialog part={part} detail={data} isOpen={isDeleting} onOpenChange={setIsDeleting} />
    </div>
  );
}

function Said({ by, children }: { readonly by: string; readonly children: string }) {
  return (
    <div>
      <p className="text-12 text-ink-3">
        <bdi>{by}</bdi>
      </p>
      <p className="wrap-anywhere whitespace-pre-wrap">{children}</p>
    </div>
  );
}

function Grown({ detail }: { readonly detail: MemoryEventDetail }) {
  const { t, i18n } = useTranslation();
  const { affect, entities, threads, links, annotation } = detail;
  const number = new Intl.NumberFormat(i18n.language, {
    maximumFractionDigits: 1,
    signDisplay: 'exceptZero',
  });
  const years = [annotation?.aboutYearStart, annotation?.aboutYearEnd].filter((year) => year != null);
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1.5 text-12 empty:hidden">
      {affect && (
        <Fact name={t('memoryPage.feeling')}>
          <span className="wrap-anywhere">
            {affect.bodyText} ({t('memoryPage.pleasure', { value: number.format(affect.vad.v) })})
          </span>
        </Fact>
      )}
      {years.length > 0 && <Fact name={t('memoryPage.aboutTime')}>{[...new Set(years)].join('–')}</Fact>}
      {entities.length > 0 && (
        <Fact name={t('memoryPage.about')}>
          {entities.map(({ type, name }) => (
            <Chip key={`${type} ${name}`}>
              <bdi>{name}</bdi>
            </Chip>
          ))}
        </Fact>
      )}
      {threads.length > 0 && (
        <Fact name={t('memoryPage.threads')}>
          {threads.map(({ threadKey }) => (
            <Chip key={threadKey}>
              <bdi>{threadKey}</bdi>
            </Chip>
          ))}
        </Fact>
      )}
      {links.length > 0 && (
        <Fact name={t('memoryPage.links')}>
          {[...Map.groupBy(links, ({ label }) => label)].map(([label, of]) => (
            <span key={label}>{t(`memoryPage.link.${label}`, { count: of.length })}</span>
          ))}
        </Fact>
      )}
    </dl>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-3">{name}</dt>
      <dd className="flex min-w-0 flex-wrap gap-1.5">{children}</dd>
    </>
  );
}
