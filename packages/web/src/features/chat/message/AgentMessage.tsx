import type { Message } from '@aizuchi/shared/contract/chat';
import { memo, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Avatar } from '../../../components/Avatar.tsx';
import { Button } from '../../../components/Button.tsx';
import { Time } from '../../../components/Time.tsx';
import type { AnswerSteps } from '../steps/answer-steps.ts';
import { FoldedSteps } from '../steps/FoldedSteps.tsx';
import { StepList } from '../steps/StepList.tsx';
import type { StreamedAnswer } from '../timeline/timeline.ts';
import { AnswerBody } from './AnswerBody.tsx';
import { AnswerFoot } from './AnswerFoot.tsx';
import { foldLong } from './fold.ts';
import { MessageTime } from './MessageTime.tsx';

interface AgentMessageProps {
  readonly message: Message;
  readonly tookMs: number | undefined;
  /** What this tab knows of its steps. */
  readonly steps: AnswerSteps | undefined;
  readonly isOpen: boolean;
  readonly onToggle: (messageId: string) => void;
}

/** A message of the agent: on the left, with its name; a long one is folded. */
export const AgentMessage = memo(function AgentMessage({
  message,
  tookMs,
  steps,
  isOpen,
  onToggle,
}: AgentMessageProps) {
  const { t } = useTranslation();
  const { id, content, senderName } = message;
  const folded = foldLong(content);
  return (
    <article
      aria-label={senderName}
      data-testid={`chat-message-${id}`}
      className="flex min-w-0 flex-col gap-1"
    >
      <Head name={senderName}>
        <MessageTime message={message} agentId={message.senderId} />
      </Head>
      {message.steps !== undefined && message.steps > 0 && (
        <FoldedSteps
          messageId={id}
          name={senderName}
          count={message.steps}
          answer={steps}
          tookMs={message.usage?.durationMs ?? tookMs}
        />
      )}
      <AnswerBody text={folded && !isOpen ? folded.preview : content} />
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
      <AnswerFoot message={message} tookMs={tookMs} />
    </article>
  );
});

/** An answer that is being written. When it is complete, the message takes over its row. */
export function StreamingMessage({
  streaming,
  name,
  steps,
}: {
  readonly streaming: StreamedAnswer;
  readonly name: string;
  readonly steps: AnswerSteps | undefined;
}) {
  const { t } = useTranslation();
  const { text, start, messageId, since } = streaming;
  const count = steps?.steps.length ?? 0;
  return (
    <>
      <p role="status" className="sr-only">
        {count > 0 && t('chat.steps.count', { count })}
      </p>
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
        {steps && count > 0 && <StepList messageId={messageId} name={name} answer={steps} isWorking />}
        {text !== '' && <AnswerBody text={text} isStreaming />}
      </article>
    </>
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
