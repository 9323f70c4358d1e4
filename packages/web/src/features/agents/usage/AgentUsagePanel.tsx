import type { Agent } from '@aizuchi/shared/contract/agent';
import { useQuery } from '@tanstack/react-query';
import clsx from 'clsx';
import { useTranslation } from 'react-i18next';
import { ErrorNote } from '../../../components/ErrorNote.tsx';
import { Panel } from '../../../components/Panel.tsx';
import { UsageBars } from '../../../components/UsageBars.tsx';
import { UsageTable } from '../../../components/UsageTable.tsx';
import { amountText, costText } from '../../../lib/amount-text.ts';
import { joined } from '../../../lib/joined.ts';
import { timeSpan } from '../../../lib/time.ts';
import { everyDay, tokensIn, totalOf } from '../../../lib/usage-days.ts';
import { agentDaysQuery, agentModelsQuery, SHOWN_DAYS } from './agent-usage.ts';

/** What the agent has used in the last days, in all projects that the reader may see. */
export function AgentUsagePanel({ agent }: { readonly agent: Agent }) {
  const { t, i18n } = useTranslation();
  const { data, error, refetch } = useQuery(agentDaysQuery(agent.id));
  const { data: models } = useQuery(agentModelsQuery(agent.id));
  const total = totalOf(data?.usage ?? []);
  const facts = joined([
    t('usage.inDays', { count: SHOWN_DAYS, amount: amountText(tokensIn(total)) }),
    total.costUsd !== undefined && costText(total.costUsd),
    total.durationMs > 0 && timeSpan(total.durationMs, i18n.language),
  ]);
  return (
    <Panel
      title={t('usage.byDay')}
      aside={data && data.usage.length > 0 && <span className="num text-12 text-ink-3">{facts}</span>}
    >
      {error && <ErrorNote error={error} onRetry={() => void refetch()} className="m-3" />}
      {/* It keeps its place until it is known: what follows would move under the pointer. */}
      {!error && !data?.usage.length && (
        <p className={clsx('px-3 py-3 text-13 text-pretty text-ink-2', !data && 'invisible')}>
          {t('usage.none')}
        </p>
      )}
      {data && data.usage.length > 0 && (
        <UsageBars days={everyDay(data.usage, data.from, data.to)} limit={agent.dailyTokenLimit} />
      )}
      {models && models.usage.length > 0 && (
        <UsageTable
          caption={t('usage.byModel')}
          what={t('usage.model')}
          rows={models.usage}
          nameOf={(model) =>
            model === 'unknown' ? t('usage.unknownModel') : <span className="font-mono">{model}</span>
          }
        />
      )}
    </Panel>
  );
}
