import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../../components/EmptyState.tsx';
import { ErrorNote } from '../../../components/ErrorNote.tsx';
import { PhaseLine } from '../../../components/Spinner.tsx';
import { Time } from '../../../components/Time.tsx';
import { type MemoryPart, threadsQuery } from '../use-memory.ts';
import { threadGraph } from './thread-graph.ts';

const EVENTS_OF_THREAD = 3;

/** The threads of the newest events, as a graph; below it the same in words. */
export function Threads({ part }: { readonly part: MemoryPart }) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(threadsQuery(part));
  const graph = useMemo(() => threadGraph(data ?? { events: [], links: [] }), [data]);
  if (error) return <ErrorNote error={error} onRetry={() => void refetch()} />;
  if (!data) return <PhaseLine>{t('common.loading')}</PhaseLine>;
  if (graph.rows.length === 0)
    return (
      <EmptyState icon="link" level={3} title={t('memoryPage.noThreadsTitle')}>
        {t('memoryPage.noThreads')}
      </EmptyState>
    );
  return (
    <div className="flex flex-col gap-3" data-testid="memory-threads">
      <svg
        viewBox={`0 0 ${graph.width} ${graph.height}`}
        role="img"
        aria-label={t('memoryPage.threadGraph', { count: graph.rows.length })}
        className="w-full max-w-[420px]"
      >
        {graph.rows.map(({ key, y, from, to }, index) => (
          <g key={key}>
            <path d={`M${from} ${y}H${to}`} strokeWidth="1.5" className="stroke-line-strong" fill="none" />
            <text x="0" y={y + 4} className="fill-ink-2 text-11">
              {index + 1}
            </text>
          </g>
        ))}
        {graph.joints.map(({ id, x, from, to }) => (
          <path
            key={id}
            d={`M${x} ${from}V${to}`}
            strokeDasharray="2 2"
            className="stroke-ink-3"
            fill="none"
          />
        ))}
        {graph.arcs.map(({ key, path }) => (
          <path key={key} d={path} className="stroke-accent-line" fill="none" />
        ))}
        {graph.dots.map(({ id, x, y }) => (
          <circle key={`${id} ${y}`} cx={x} cy={y} r="3" className="fill-accent" />
        ))}
      </svg>
      <ul className="flex flex-col gap-2">
        {graph.rows.map(({ key, count }, index) => {
          const events = data.events.filter(({ threadKeys }) => threadKeys.includes(key));
          return (
            <li key={key} className="rounded-md border border-line bg-surface px-3 py-2">
              <h3 className="flex items-baseline gap-2 text-13 font-medium">
                <span className="num flex-none font-normal text-ink-2">{index + 1}</span>
                <bdi className="min-w-0 wrap-anywhere">{key}</bdi>
                <span className="num text-12 font-normal text-ink-2">
                  {t('memoryPage.threadEvents', { count })}
                </span>
              </h3>
              <ol className="mt-1 flex flex-col gap-0.5">
                {events
                  .slice(-EVENTS_OF_THREAD)
                  .toReversed()
                  .map(({ id, at, text }) => (
                    <li key={id} className="flex gap-2 text-12 text-ink-2">
                      <Time at={at} className="num flex-none" />
                      <bdi className="min-w-0 truncate">{text}</bdi>
                    </li>
                  ))}
              </ol>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
