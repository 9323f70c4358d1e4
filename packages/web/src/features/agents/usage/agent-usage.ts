import type { AgentUsageReport } from '@aizuchi/shared/contract/usage';
import { queryOptions } from '@tanstack/react-query';
import { callApi } from '../../../lib/api/call-api.ts';
import { keys } from '../../../lib/queries/keys.ts';
import { tokensIn } from '../../../lib/usage-days.ts';

export const SHOWN_DAYS = 14;
/** No frame says that something was used. */
const POLL_MS = 10_000;

/** An instant stands for the day of the server that holds it. */
const from = () => new Date(Date.now() - (SHOWN_DAYS - 1) * 86_400_000).toISOString();

export const agentDaysQuery = (aid: string) =>
  queryOptions({
    queryKey: [...keys.agentUsage(aid), 'day'] as const,
    queryFn: ({ signal }) =>
      callApi('agentUsage', { params: { aid }, query: { by: 'day', from: from() }, signal }),
    refetchInterval: POLL_MS,
  });

export const agentModelsQuery = (aid: string) =>
  queryOptions({
    queryKey: [...keys.agentUsage(aid), 'model'] as const,
    queryFn: ({ signal }) =>
      callApi('agentUsage', { params: { aid }, query: { by: 'model', from: from() }, signal }),
    refetchInterval: POLL_MS,
  });

export function todayTokens({ today, usage }: AgentUsageReport): number {
  const sum = usage.find(({ key }) => key === today);
  return sum ? tokensIn(sum) : 0;
}
