import type { Agent } from '@aizuchi/shared/contract/agent';
import { useQuery } from '@tanstack/react-query';
import clsx from 'clsx';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Field, Input } from '../../../components/Field.tsx';
import { amountText } from '../../../lib/amount-text.ts';
import { clockTime } from '../../../lib/time.ts';
import { agentDaysQuery, todayTokens } from '../usage/agent-usage.ts';
import { limitsDraftOf, MAX_PARALLEL, parallelOf, shareOf, tokensOf } from './limits-draft.ts';
import { SetUpForm } from './SetUpForm.tsx';
import { useSaveAgent } from './use-save-agent.ts';

/** How much an agent may use in one day, and how many tasks it may work on at once. */
export function LimitsForm({ agent }: { readonly agent: Agent }) {
  const { t, i18n } = useTranslation();
  const stored = limitsDraftOf(agent, i18n.language);
  const [draft, setDraft] = useState(stored);
  const save = useSaveAgent(agent);
  const dailyTokenLimit = tokensOf(draft);
  const maxParallelTasks = parallelOf(draft);
  const isValid = dailyTokenLimit !== undefined && maxParallelTasks !== undefined;
  const isChanged =
    isValid && (dailyTokenLimit !== tokensOf(stored) || maxParallelTasks !== parallelOf(stored));
  return (
    <SetUpForm
      title={t('agentPage.limits')}
      testId="agent-set-limits"
      isChanged={isChanged}
      save={save}
      onSave={() => isValid && save.mutate({ dailyTokenLimit, maxParallelTasks })}
      note={t('agentPage.limitsNote')}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <Field
          label={t('agentPage.dailyTokens')}
          hint={t('agentPage.dailyTokensHint')}
          error={dailyTokenLimit === undefined && t('agentPage.dailyTokensRule')}
        >
          {(control) => (
            <Input
              {...control}
              inputMode="numeric"
              autoComplete="off"
              data-testid="agent-daily-tokens"
              className="num"
              value={draft.dailyTokenLimit}
              onChange={(event) => setDraft({ ...draft, dailyTokenLimit: event.target.value })}
            />
          )}
        </Field>
        <Field
          label={t('agentPage.parallel')}
          hint={t('agentPage.parallelHint')}
          error={maxParallelTasks === undefined && t('agentPage.parallelRule', { most: MAX_PARALLEL })}
        >
          {(control) => (
            <Input
              {...control}
              inputMode="numeric"
              autoComplete="off"
              data-testid="agent-parallel"
              className="num"
              value={draft.maxParallelTasks}
              onChange={(event) => setDraft({ ...draft, maxParallelTasks: event.target.value })}
            />
          )}
        </Field>
      </div>
      {agent.dailyTokenLimit !== undefined && <TodayBar agentId={agent.id} limit={agent.dailyTokenLimit} />}
    </SetUpForm>
  );
}

/** What of the limit is used today, and when the count begins anew. */
function TodayBar({ agentId, limit }: { readonly agentId: string; readonly limit: number }) {
  const { t, i18n } = useTranslation();
  const { data } = useQuery(agentDaysQuery(agentId));
  if (!data) return null;
  const used = todayTokens(data);
  const share = shareOf(used, limit);
  return (
    <div
      data-testid="agent-today"
      className="num grid grid-cols-[auto_minmax(40px,1fr)_auto] items-center gap-3 text-12 text-ink-2"
    >
      <span>{t('agentPage.usedToday', { amount: amountText(used) })}</span>
      <span
        role="img"
        aria-label={`${Math.round(share * 100)} %`}
        className="h-1 overflow-hidden rounded-full bg-line"
      >
        <span
          className={clsx('block h-full', share < 1 ? 'bg-accent' : 'bg-red')}
          style={{ width: `${share * 100}%` }}
        />
      </span>
      <span>
        {t('agentPage.limitResets', {
          limit: amountText(limit),
          at: clockTime(new Date(data.todayEndsAt), i18n.language),
        })}
      </span>
    </div>
  );
}
