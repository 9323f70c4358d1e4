import type { CoordinatorView } from '@aizuchi/shared/contract/chat';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Chip } from '../../../components/Chip.tsx';
import { EmptyState } from '../../../components/EmptyState.tsx';
import { ErrorNote } from '../../../components/ErrorNote.tsx';
import { Panel, ReadingPage } from '../../../components/Panel.tsx';
import { Time } from '../../../components/Time.tsx';
import { callApi } from '../../../lib/api/call-api.ts';
import { coordinatorsQuery } from '../../../lib/queries/queries.ts';

/** Pages outside of a project get no frames about Coordinators, so they are polled. */
const POLL_MS = 3_000;

/** Version and process of the server, and its Coordinators. */
export function AboutSection() {
  const { t } = useTranslation();
  const health = useQuery({
    queryKey: ['health'],
    queryFn: ({ signal }) => callApi('health', { signal }),
  });
  const { data: coordinators, error } = useQuery({ ...coordinatorsQuery(), refetchInterval: POLL_MS });
  const facts = health.data && [
    [t('settings.version'), health.data.version],
    [t('settings.instance'), health.data.instanceId],
    [t('settings.process'), String(health.data.pid)],
  ];
  return (
    <ReadingPage title={t('app.settingsSection.about')}>
      <Panel title="Aizuchi">
        {health.error && <ErrorNote error={health.error} className="m-3" />}
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-1 px-4 py-3 text-13">
          {facts?.map(([name, value]) => (
            <div key={name} className="contents">
              <dt className="text-ink-2">{name}</dt>
              <dd className="font-mono text-12 leading-5 wrap-anywhere">{value}</dd>
            </div>
          ))}
        </dl>
        <p className="px-4 py-3 text-13">
          <a href="/api/docs" className="text-accent-ink underline">
            {t('settings.apiDocs')}
          </a>
        </p>
      </Panel>
      <Panel title={t('settings.coordinators')}>
        {error && <ErrorNote error={error} className="m-3" />}
        {coordinators?.length === 0 && (
          <div className="p-4">
            <EmptyState icon="host" title={t('settings.noCoordinatorTitle')} level={3}>
              {t('settings.noCoordinatorText')}
            </EmptyState>
          </div>
        )}
        {coordinators?.map((coordinator) => (
          <CoordinatorRow key={coordinator.id} coordinator={coordinator} />
        ))}
      </Panel>
    </ReadingPage>
  );
}

function CoordinatorRow({ coordinator }: { readonly coordinator: CoordinatorView }) {
  const { t } = useTranslation();
  const { id, host, alive, lastSeenAt, used, capacity, labels } = coordinator;
  return (
    <div
      data-testid={`coordinator-${id}`}
      className="flex min-h-14 flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2"
    >
      <div className="min-w-0 flex-1 basis-48">
        <p className="truncate text-13 font-medium">{id}</p>
        <p className="num text-12 text-ink-2">
          {host} · {t('settings.used', { used, capacity })} · {t('settings.seen')} <Time at={lastSeenAt} />
        </p>
      </div>
      {labels.map((label) => (
        <Chip key={label}>{label}</Chip>
      ))}
      <Chip tone={alive ? 'green' : 'red'}>{t(alive ? 'settings.alive' : 'settings.gone')}</Chip>
    </div>
  );
}
