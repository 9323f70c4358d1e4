import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { ErrorNote } from '../../../components/ErrorNote.tsx';
import { Panel, ReadingPage } from '../../../components/Panel.tsx';
import { PhaseLine } from '../../../components/Spinner.tsx';
import { meQuery, settingsQuery } from '../../../lib/queries/queries.ts';
import { CopyButton } from '../CopyButton.tsx';
import { ConnectPanel } from './ConnectPanel.tsx';
import { mcpAddress } from './connect.ts';
import { DurationRow } from './DurationRow.tsx';
import { WarmRow } from './WarmRow.tsx';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const TTL_CHOICES = [1, 2, 5, 10, 30].map((minutes) => minutes * MINUTE);
const IDLE_CHOICES = [1, 5, 10, 30, 60].map((minutes) => minutes * MINUTE);
const TURN_CHOICES = [0, 10 * MINUTE, 30 * MINUTE, HOUR, 4 * HOUR];

/** Timeouts, and how to connect Claude Code; for owners. */
export function McpSection() {
  const { t } = useTranslation();
  const { data: me } = useQuery(meQuery());
  if (me?.accessLevel === 'owner') return <OwnersMcpSection />;
  return (
    <ReadingPage title={t('app.settingsSection.mcp')}>
      {me ? (
        <p data-testid="mcp-owners-only" className="-mt-4 text-13 text-pretty text-ink-2">
          {t('settings.mcpIntroMember')}
        </p>
      ) : (
        <PhaseLine>{t('common.loading')}</PhaseLine>
      )}
    </ReadingPage>
  );
}

function OwnersMcpSection() {
  const { t } = useTranslation();
  const { data: settings, error, refetch } = useQuery(settingsQuery());
  const url = mcpAddress(settings?.mcpUrl, location);
  return (
    <ReadingPage title={t('app.settingsSection.mcp')}>
      <p className="-mt-4 text-13 text-pretty text-ink-2">{t('settings.mcpIntro')}</p>
      {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {!settings && !error && <PhaseLine>{t('common.loading')}</PhaseLine>}
      {settings && (
        <>
          <Panel title={t('settings.waits')}>
            <DurationRow
              name="pendingPurposeTtlSeconds"
              label={t('settings.ttl')}
              hint={t('settings.ttlHint')}
              choices={TTL_CHOICES}
              settings={settings}
              testId="settings-ttl"
            />
            <DurationRow
              name="sessionIdleTimeoutSeconds"
              label={t('settings.idle')}
              hint={t('settings.idleHint')}
              choices={IDLE_CHOICES}
              settings={settings}
              testId="settings-idle"
            />
            <DurationRow
              name="turnTimeoutSeconds"
              label={t('settings.turn')}
              hint={t('settings.turnHint')}
              choices={TURN_CHOICES}
              settings={settings}
              testId="settings-turn"
            />
            <WarmRow settings={settings} />
          </Panel>
          <ConnectPanel url={url} />
          <ServerPanel url={url} isGuessed={settings.mcpUrl === undefined} />
        </>
      )}
    </ReadingPage>
  );
}

interface ServerPanelProps {
  readonly url: string;
  /** The server does not know its address: it is derived from the one of the page. */
  readonly isGuessed: boolean;
}

function ServerPanel({ url, isGuessed }: ServerPanelProps) {
  const { t } = useTranslation();
  return (
    <Panel title={t('settings.server')}>
      <div className="flex items-center justify-between gap-x-8 gap-y-2 px-4 py-3 max-sm:flex-col max-sm:items-stretch">
        <div className="min-w-0">
          <p className="text-13 font-medium">{t('settings.address')}</p>
          <p className="text-12 text-pretty text-ink-2">
            {t(isGuessed ? 'settings.addressGuessed' : 'settings.addressHint')}
          </p>
        </div>
        <div className="flex min-w-0 items-center gap-2">
          <code data-testid="mcp-url" className="min-w-0 text-12 wrap-anywhere">
            {url}
          </code>
          <CopyButton text={url} label={t('settings.address')} />
        </div>
      </div>
    </Panel>
  );
}
