import type { Message } from '@aizuchi/shared/contract/chat';
import clsx from 'clsx';
import { memo, type ReactNode, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { Avatar } from '../../../components/Avatar.tsx';
import { Button } from '../../../components/Button.tsx';
import { Time } from '../../../components/Time.tsx';
import type { StreamedAnswer } from '../timeline/timeline.ts';
import { foldLong } from './fold.ts';
import { Markdown } from './lazy-markdown.ts';
import { spanText } from './Receipt.tsx';

interface AgentMessageProps {
  readonly message: Message;
  readonly tookMs: number | undefined;
  readonly isOpen: boolean;
  readonly onToggle: (messageId: string) => void;
}

/** A message of the agent: on the left, with its name; a long one is folded. */
export const AgentMessage = memo(function AgentMessage({
  message,
  tookMs,
  isOpen,
  onToggle,
}: AgentMessageProps) {
  const { t } = useTranslation();
  const { id, content, senderName, createdAt } = message;
  const folded = foldLong(content);
  const facts = useFacts(message, tookMs);
  return (
    <article
      aria-label={senderName}
      data-testid={`chat-message-${id}`}
      className="flex min-w-0 flex-col gap-1"
    >
      <Head name={senderName}>
        <Time at={createdAt} format="clock" />
      </Head>
      <Body text={folded && !isOpen ? folded.preview : content} />
      {folded && (
        <Button
          size="sm"
          variant="quiet"
          icon={isOpen ? 'arrowUp' : 'arrowDown'}
          aria-expanded={isOpen}
          className="self-start"
          onClick={() => onToggle(id)}
        >
          {isOpen ? t('chat.fold') : t('chat.showAll', { count: folded.lines })}
        </Button>
      )}
      {facts.length > 0 && <p className="num text-11 text-ink-3">{facts.join(' · ')}</p>}
    </article>
  );
});

/** An answer that is being written. When it is complete, the message takes over its row. */
export function StreamingMessage({
  streaming,
  name,
}: {
  readonly streaming: StreamedAnswer;
  readonly name: string;
}) {
  const { t } = useTranslation();
  const { text, start, messageId, since } = streaming;
  return (
    <article
      aria-label={name}
      aria-busy="true"
      data-testid={`chat-message-${messageId}`}
      className="flex min-w-0 flex-col gap-1"
    >
      <Head name={name}>
        <Time at={new Date(since).toISOString()} format="clock" />
        {start > 0 && <span>{t('chat.interrupted')}</span>}
      </Head>
      <Body text={text} isStreaming />
    </article>
  );
}

function Head({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <header className="flex items-center gap-2 text-12 text-ink-3">
      <Avatar name={name} type="ai" size={20} />
      <b className="min-w-0 truncate text-13 font-semibold text-ink">{name}</b>
      {children}
    </header>
  );
}

/** Marks where the next word will appear. */
const CARET =
  "[&>p:last-child]:after:ml-px [&>p:last-child]:after:inline-block [&>p:last-child]:after:h-4 [&>p:last-child]:after:w-0.5 [&>p:last-child]:after:animate-pulse-slow [&>p:last-child]:after:bg-accent [&>p:last-child]:after:align-[-3px] [&>p:last-child]:after:content-['']";

function Body({ text, isStreaming = false }: { readonly text: string; readonly isStreaming?: boolean }) {
  return (
    <div
      className={clsx(
        'chat-text others-text flex flex-col gap-2 text-14 leading-message text-pretty wrap-anywhere',
        isStreaming && CARET,
      )}
    >
      <Suspense fallback={<p className="whitespace-pre-wrap">{text}</p>}>
        <Markdown>{text}</Markdown>
      </Suspense>
    </div>
  );
}

/** "2.8 s · 1,204 tokens", as far as it is known. */
function useFacts({ usage, noReply }: Message, tookMs: number | undefined): readonly string[] {
  const { t, i18n } = useTranslation();
  const tokens = usage && totalTokens(usage);
  return [
    ...(tookMs === undefined ? [] : [spanText(t, tookMs)]),
    ...(tokens ? [t('chat.tokens', { amount: tokens.toLocaleString(i18n.language) })] : []),
    ...(noReply ? [t('chat.noReply')] : []),
  ];
}

function totalTokens(usage: Readonly<Record<string, number>>): number {
  const of = (...names: string[]) => names.map((name) => usage[name]).find((value) => value !== undefined);
  const total = of('totalTokens', 'total_tokens');
  return total ?? (of('inputTokens', 'input_tokens') ?? 0) + (of('outputTokens', 'output_tokens') ?? 0);
}
