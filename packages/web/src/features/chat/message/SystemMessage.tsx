import type { Message } from '@aizuchi/shared/contract/chat';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Button, buttonClass } from '../../../components/Button.tsx';
import { Icon } from '../../../components/Icon.tsx';
import { Time } from '../../../components/Time.tsx';
import { useBesideChat } from '../../../lib/hooks/use-beside-chat.ts';
import { toLocale } from '../../../lib/i18n.ts';
import { systemWords } from './system-words.ts';

interface SystemMessageProps {
  readonly message: Message;
  /** The messages that failed with it and can be sent again. */
  readonly failedIds: readonly string[];
  readonly onRetry: ((messageIds: readonly string[]) => void) | undefined;
  /** Whose runs have the log of what happened. */
  readonly runsOf: string | undefined;
  /** Present for owners: they can give the agent a new passkey. */
  readonly agentId: string | undefined;
}

/** A process of the agent was there, and what it said is in its log. */
const LOG_HELPS = [
  'timeout_sign_in_refused',
  'timeout_no_sign_in',
  'timeout_exited',
  'agent_crashed',
  'agent_gave_up',
  'agent_never_signed_in',
  'agent_left_unanswered',
];
const PASSKEY_HELPS = ['timeout_no_credential', 'timeout_sign_in_refused'];

/** A message of the system: centred, light red, with ⚠️; what happened, why, and what to do. */
export function SystemMessage({ message, failedIds, onRetry, runsOf, agentId }: SystemMessageProps) {
  const { t, i18n } = useTranslation();
  const besideChat = useBesideChat();
  const { text, detail } = systemWords(message, toLocale(i18n.language));
  const canRetry = failedIds.length > 0 && onRetry !== undefined;
  const hasLog = runsOf !== undefined && LOG_HELPS.includes(message.system?.code ?? '');
  const canManage = agentId !== undefined && PASSKEY_HELPS.includes(message.system?.code ?? '');
  return (
    <article
      aria-label={t('chat.system')}
      data-testid={`chat-message-${message.id}`}
      data-sender="system"
      className="flex flex-col gap-2"
    >
      <div className="rounded-md border border-red-line bg-red-soft px-3 py-[11px] text-center text-13 text-red-ink">
        <p className="num mb-1 text-12 font-semibold">
          ⚠️ {t('chat.system')} · <Time at={message.createdAt} format="clock" />
        </p>
        <p className="text-balance wrap-anywhere">{text}</p>
        {detail !== '' && (
          <code className="mt-2 block rounded-sm border border-red-line bg-surface px-2 py-[7px] text-left font-mono text-[11.5px] leading-4 whitespace-pre-wrap wrap-anywhere">
            {detail}
          </code>
        )}
        {(canRetry || canManage || hasLog) && (
          <div className="mt-3 flex flex-wrap justify-center gap-2">
            {canRetry && (
              <Button
                size="sm"
                icon="retry"
                data-testid={`message-retry-${message.id}`}
                onClick={() => onRetry(failedIds)}
              >
                {t('chat.retry')}
              </Button>
            )}
            {hasLog && (
              <Link
                to="/projects/$projectId/runs"
                params={{ projectId: message.projectId }}
                search={(search) => ({ ...besideChat(search), by: runsOf })}
                data-testid="system-open-runs"
                className={buttonClass({ size: 'sm' })}
              >
                <Icon name="terminal" size={14} />
                {t('chat.openRuns')}
              </Link>
            )}
            {canManage && (
              <Link to="/agents/$agentId" params={{ agentId }} className={buttonClass({ size: 'sm' })}>
                <Icon name="key" size={14} />
                {t('chat.manageAgent')}
              </Link>
            )}
          </div>
        )}
      </div>
      {canRetry && <p className="text-center text-12 text-ink-2">{t('chat.retryKept')}</p>}
    </article>
  );
}
