import type { Message } from '@aizuchi/shared/contract/chat';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { amountText, costText } from '../../../lib/amount-text.ts';
import { joined } from '../../../lib/joined.ts';
import { spanText } from './Receipt.tsx';

interface UsageLineProps {
  readonly message: Pick<Message, 'usage' | 'model' | 'noReply'>;
  /** From the person's message to the answer, where the agent has not said how long it took. */
  readonly tookMs: number | undefined;
  /** After the facts, also when there are none. */
  readonly children?: ReactNode;
}

/** "claude-sonnet-4-5 · 12.4k tokens · 8.2 s · $0.03", as far as it is known. */
export function UsageLine({ message: { usage, model, noReply }, tookMs, children }: UsageLineProps) {
  const { t, i18n } = useTranslation();
  const ms = usage?.durationMs ?? tookMs;
  const tokens = usage ? usage.inputTokens + usage.outputTokens : 0;
  const facts = joined([
    tokens > 0 && t('chat.usage.tokens', { amount: amountText(tokens) }),
    ms !== undefined && spanText(t, ms),
    usage?.costUsd !== undefined && costText(usage.costUsd),
    noReply && t('chat.noReply'),
  ]);
  if (facts === '' && model === undefined && !children) return null;
  const exact = (amount: number) => amount.toLocaleString(i18n.language);
  const detail =
    usage &&
    t('chat.usage.detail', {
      input: exact(usage.inputTokens),
      output: exact(usage.outputTokens),
      cached: exact(usage.cacheReadTokens ?? 0),
    });
  return (
    <p className="num text-11 text-ink-3" title={detail} data-testid="chat-usage">
      {model !== undefined && <span className="font-mono wrap-anywhere">{model}</span>}
      {model !== undefined && facts !== '' && ' · '}
      {facts}
      {children && (model !== undefined || facts !== '') && ' · '}
      {children}
    </p>
  );
}
