import type { Conversation } from '@aizuchi/shared/contract/conversation';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Time } from '../../components/Time.tsx';
import { meQuery, settingsQuery } from '../../lib/queries/queries.ts';
import { useStopwatchText } from '../../lib/stopwatch-text.ts';
import { timeSpan, useNow } from '../../lib/time.ts';
import { durationMs, isLive } from './outcome.ts';
import { useConversations } from './use-conversations.ts';
import { useOutcomeText } from './use-outcome-text.ts';

interface ConversationFactsProps {
  readonly conversation: Conversation;
  readonly nameOf: (agentId: string) => string;
}

/** Outcome, chain and limits of a conversation. */
export function ConversationFacts({ conversation, nameOf }: ConversationFactsProps) {
  const { t, i18n } = useTranslation();
  const stopwatchText = useStopwatchText();
  const words = useOutcomeText(nameOf);
  const now = useNow(isLive(conversation) ? 1_000 : 60_000);
  const { data: me } = useQuery(meQuery());
  const { data: settings } = useQuery({ ...settingsQuery(), enabled: me?.accessLevel === 'owner' });
  const { chainMessageCount, chainMaxMessages, maxMessages, messageCount, state } = conversation;
  return (
    <div className="flex flex-col gap-5 p-4 text-13">
      <Facts title={t('conversations.outcomeTitle')}>
        <Detail name={t('conversations.stateName')}>{t(`conversations.stateLong.${state}`)}</Detail>
        <Detail name={t('conversations.reason')}>{words(conversation)}</Detail>
        <Detail name={t('conversations.length')}>
          {t('conversations.lengthText', {
            n: messageCount,
            most: maxMessages,
            time: stopwatchText(durationMs(conversation, now), 0),
          })}
        </Detail>
      </Facts>
      <Chain conversation={conversation} />
      <Facts title={t('conversations.limits')}>
        <Detail name={t('conversations.perTalk')}>
          {t('conversations.messageCount', { count: maxMessages })}
        </Detail>
        {chainMaxMessages !== undefined && (
          <Detail name={t('conversations.perChain')}>
            {t('conversations.chainUsed', { n: chainMessageCount ?? 0, most: chainMaxMessages })}
          </Detail>
        )}
        {settings && (
          <Detail name={t('conversations.silence')}>
            {timeSpan(settings.conversationTimeoutSeconds * 1_000, i18n.language)}
          </Detail>
        )}
      </Facts>
      <p className="text-12 text-pretty text-ink-2">{t('conversations.limitsHint')}</p>
    </div>
  );
}

/** The conversations of the chain, the oldest first, so that what started a long chain stays visible. */
function Chain({ conversation }: { readonly conversation: Conversation }) {
  const { t } = useTranslation();
  const { conversations = [] } = useConversations(conversation.projectId);
  const chain = conversations.filter(({ chainId }) => chainId === conversation.chainId).toReversed();
  if (chain.length < 2) return null;
  return (
    <section>
      <h3 className="text-12 font-semibold">{t('conversations.chain')}</h3>
      <ol className="mt-2 flex flex-col">
        {chain.map((one) => (
          <li key={one.id} className="flex items-center gap-2 py-1">
            <span
              aria-hidden="true"
              className={
                one.id === conversation.id
                  ? 'size-2 flex-none rounded-full bg-accent'
                  : 'size-2 flex-none rounded-full border border-ink-3'
              }
            />
            {one.id === conversation.id ? (
              <span className="min-w-0 flex-1 truncate font-medium">{t('conversations.thisOne')}</span>
            ) : (
              <Link
                to="/projects/$projectId/conversations"
                params={{ projectId: one.projectId }}
                search={({ agent }) => ({ ...(agent !== undefined && { agent }), conversation: one.id })}
                className="min-w-0 flex-1 truncate text-accent-ink hover:underline"
              >
                {one.purpose ?? one.id}
              </Link>
            )}
            <Time at={one.createdAt} format="clock" className="text-12 text-ink-3" />
          </li>
        ))}
      </ol>
    </section>
  );
}

function Facts({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section>
      <h3 className="text-12 font-semibold">{title}</h3>
      <dl className="mt-2 grid grid-cols-[88px_minmax(0,1fr)] gap-2">{children}</dl>
    </section>
  );
}

function Detail({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-2">{name}</dt>
      <dd className="wrap-anywhere tabular-nums">{children}</dd>
    </>
  );
}
