import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Select } from '../../components/Field.tsx';
import { Panel, ReadingPage } from '../../components/Panel.tsx';
import { PhaseLine } from '../../components/Spinner.tsx';
import { UsageBars } from '../../components/UsageBars.tsx';
import { UsageTable } from '../../components/UsageTable.tsx';
import { amountText, costText } from '../../lib/amount-text.ts';
import { joined } from '../../lib/joined.ts';
import { useNameOf } from '../../lib/queries/use-name-of.ts';
import { daysShown } from '../../lib/shown-days.ts';
import { timeSpan } from '../../lib/time.ts';
import { tokensIn, totalOf, type UsageRow } from '../../lib/usage-days.ts';
import { projectUsageQuery, RANGES, type RangeDays } from './project-usage.ts';

const route = getRouteApi('/signed-in/projects/$projectId');

const here = () => ({
  now: new Date(),
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
});

/** What the agents of a project have used: by day, agent and model. */
export function UsagePage() {
  const { t } = useTranslation();
  const { projectId } = route.useParams();
  const [days, setDays] = useState<RangeDays>(30);
  const byDay = useQuery(projectUsageQuery(projectId, 'day', days));
  const { data, error, refetch } = byDay;
  return (
    <ReadingPage title={t('usage.title')} aside={<RangeChoice days={days} onChange={setDays} />}>
      {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {!data && !error && <PhaseLine>{t('common.loading')}</PhaseLine>}
      {data && data.usage.length === 0 && (
        <EmptyState icon="chart" title={t('usage.emptyTitle')}>
          {t('usage.emptyText')}
        </EmptyState>
      )}
      {data && data.usage.length > 0 && (
        <>
          <Panel title={t('usage.byDay')} aside={<Total rows={data.usage} days={days} />}>
            <UsageBars days={daysShown(data.usage, days, here())} />
          </Panel>
          <ByAgent projectId={projectId} days={days} />
          <ByModel projectId={projectId} days={days} />
        </>
      )}
    </ReadingPage>
  );
}

interface RangeChoiceProps {
  readonly days: RangeDays;
  readonly onChange: (days: RangeDays) => void;
}

function RangeChoice({ days, onChange }: RangeChoiceProps) {
  const { t } = useTranslation();
  return (
    <Select
      aria-label={t('usage.range')}
      value={days}
      data-testid="usage-range"
      onChange={(event) => onChange(RANGES.find((one) => String(one) === event.target.value) ?? 30)}
      className="w-auto!"
    >
      {RANGES.map((one) => (
        <option key={one} value={one}>
          {t('usage.lastDays', { count: one })}
        </option>
      ))}
    </Select>
  );
}

function Total({ rows, days }: { readonly rows: readonly UsageRow[]; readonly days: number }) {
  const { t, i18n } = useTranslation();
  const total = totalOf(rows);
  return (
    <span className="num text-12 text-ink-3" data-testid="usage-total">
      {joined([
        t('usage.inDays', { count: days, amount: amountText(tokensIn(total)) }),
        t('usage.answers', { count: total.messages }),
        total.costUsd !== undefined && costText(total.costUsd),
        timeSpan(total.durationMs, i18n.language),
      ])}
    </span>
  );
}

interface PartProps {
  readonly projectId: string;
  readonly days: RangeDays;
}

function ByAgent({ projectId, days }: PartProps) {
  const { t } = useTranslation();
  const nameOf = useNameOf();
  const { data } = useQuery(projectUsageQuery(projectId, 'agent', days));
  if (!data) return null;
  return (
    <Panel title={t('usage.byAgent')}>
      <UsageTable
        caption={t('usage.byAgent')}
        what={t('usage.agent')}
        rows={data.usage}
        nameOf={(agentId) => (
          <Link to="/agents/$agentId" params={{ agentId }} className="hover:underline">
            {nameOf(agentId)}
          </Link>
        )}
      />
    </Panel>
  );
}

function ByModel({ projectId, days }: PartProps) {
  const { t } = useTranslation();
  const { data } = useQuery(projectUsageQuery(projectId, 'model', days));
  if (!data) return null;
  return (
    <Panel title={t('usage.byModel')}>
      <UsageTable
        caption={t('usage.byModel')}
        what={t('usage.model')}
        rows={data.usage}
        nameOf={(model) =>
          model === 'unknown' ? t('usage.unknownModel') : <span className="font-mono">{model}</span>
        }
      />
    </Panel>
  );
}
