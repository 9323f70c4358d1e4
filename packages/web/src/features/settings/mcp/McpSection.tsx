import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorNote } from '../../../components/ErrorNote.tsx';
import { Field, Select } from '../../../components/Field.tsx';
import { Panel, ReadingPage } from '../../../components/Panel.tsx';
import { PhaseLine } from '../../../components/Spinner.tsx';
import { agentsQuery, meQuery, projectsQuery, settingsQuery } from '../../../lib/queries/queries.ts';
import { CodeToCopy } from '../CodeToCopy.tsx';
import { CopyButton } from '../CopyButton.tsx';
import { authenticateScript, claudeLine, mcpAddress, mcpJson } from './connect.ts';
import { DurationRow } from './DurationRow.tsx';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const TTL_CHOICES = [1, 2, 5, 10, 30].map((minutes) => minutes * MINUTE);
const IDLE_CHOICES = [1, 5, 10, 30, 60].map((minutes) => minutes * MINUTE);
const TURN_CHOICES = [0, 10 * MINUTE, 30 * MINUTE, HOUR, 4 * HOUR];

/** How long things wait, and how a Claude Code of one's own is connected; for owners. */
export function McpSection() {
  const { t } = useTranslation();
  const { data: me } = useQuery(meQuery());
  if (me?.accessLevel === 'owner') return <OwnersMcpSection />;
  return (
    <ReadingPage title={t('settings.section.mcp')}>
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
    <ReadingPage title={t('settings.section.mcp')}>
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
          </Panel>
          <ConnectPanel url={url} />
          <Panel title={t('settings.server')}>
            <div className="flex items-center justify-between gap-x-8 gap-y-2 px-4 py-3 max-sm:flex-col max-sm:items-stretch">
              <div className="min-w-0">
                <p className="text-13 font-medium">{t('settings.address')}</p>
                <p className="text-12 text-pretty text-ink-2">
                  {t(settings.mcpUrl === undefined ? 'settings.addressGuessed' : 'settings.addressHint')}
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
        </>
      )}
    </ReadingPage>
  );
}

function ConnectPanel({ url }: { readonly url: string }) {
  const { t } = useTranslation();
  const { data: agents = [] } = useQuery(agentsQuery());
  const { data: projects = [] } = useQuery(projectsQuery());
  const [agentId, setAgentId] = useState<string>();
  const [projectId, setProjectId] = useState<string>();
  const ai = agents.filter((agent) => agent.type === 'ai');
  const chosenAgent = agentId ?? ai[0]?.id ?? 'agt_…';
  const chosenProject = projectId ?? projects[0]?.id ?? 'prj_…';
  return (
    <Panel
      title={t('settings.connect')}
      aside={<span className="text-12 text-ink-3">{t('settings.connectAside')}</span>}
    >
      <ol className="flex flex-col gap-5 p-4">
        <Step number={1} text={t('settings.step1')}>
          <div className="grid gap-3 sm:grid-cols-2">
            <Field label={t('settings.agent')}>
              {(control) => (
                <Select {...control} value={chosenAgent} onChange={(event) => setAgentId(event.target.value)}>
                  {ai.map((agent) => (
                    <option key={agent.id} value={agent.id}>
                      {agent.name}
                    </option>
                  ))}
                </Select>
              )}
            </Field>
            <Field label={t('settings.project')}>
              {(control) => (
                <Select
                  {...control}
                  value={chosenProject}
                  onChange={(event) => setProjectId(event.target.value)}
                >
                  {projects.map((project) => (
                    <option key={project.id} value={project.id}>
                      {project.name}
                    </option>
                  ))}
                </Select>
              )}
            </Field>
          </div>
          <p className="text-12 text-ink-2">
            {t('settings.step1Passkey')}{' '}
            <Link
              to="/agents/$agentId"
              params={{ agentId: chosenAgent }}
              className="text-accent-ink underline"
            >
              {t('settings.step1Link')}
            </Link>
          </p>
        </Step>
        <Step number={2} text={t('settings.step2')}>
          <CodeToCopy
            code={authenticateScript({ url, agentId: chosenAgent, projectId: chosenProject })}
            label={t('settings.step2Label')}
            testId="mcp-authenticate"
          />
        </Step>
        <Step number={3} text={t('settings.step3')}>
          <CodeToCopy
            code={claudeLine(url, t('settings.prompt'))}
            label={t('settings.step3Label')}
            testId="mcp-line"
          />
          <details>
            <summary className="cursor-pointer text-12 text-ink-2">{t('settings.asFile')}</summary>
            <div className="mt-2">
              <CodeToCopy code={mcpJson(url)} label={t('settings.asFile')} testId="mcp-json" />
            </div>
          </details>
        </Step>
      </ol>
    </Panel>
  );
}

function Step({
  number,
  text,
  children,
}: {
  readonly number: number;
  readonly text: string;
  readonly children: ReactNode;
}) {
  return (
    <li className="grid grid-cols-[20px_minmax(0,1fr)] gap-x-3">
      <span
        aria-hidden="true"
        className="num flex size-5 items-center justify-center rounded-full border border-line-strong text-11 text-ink-2"
      >
        {number}
      </span>
      <div className="flex min-w-0 flex-col gap-2">
        <p className="text-13">{text}</p>
        {children}
      </div>
    </li>
  );
}
