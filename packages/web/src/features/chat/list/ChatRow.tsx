import type { Agent } from '@aizuchi/shared/contract/agent';
import { ApprovalRow } from '../../approvals/ApprovalRow.tsx';
import { FoldedConversation } from '../../conversations/FoldedConversation.tsx';
import { QuestionRow } from '../../questions/QuestionRow.tsx';
import type { Outbox } from '../composer/outbox.ts';
import { AgentMessage, StreamingMessage } from '../message/AgentMessage.tsx';
import { OwnMessage, PendingMessageRow } from '../message/OwnMessage.tsx';
import { SystemMessage } from '../message/SystemMessage.tsx';
import type { Timeline } from '../timeline/timeline.ts';
import { failedBefore } from './failed-before.ts';
import type { RowToggle } from './MessageList.tsx';
import { CutDivider } from './RowDividers.tsx';
import type { Row } from './rows.ts';

interface ChatRowProps {
  readonly row: Row;
  readonly toggle: RowToggle;
  readonly timeline: Timeline;
  readonly agent: { readonly id: string; readonly name: string };
  readonly me: Pick<Agent, 'id' | 'accessLevel'> | undefined;
  readonly outbox: Outbox;
  readonly onRetry: ((messageIds: readonly string[]) => void) | undefined;
  /** Shows earlier cards and conversations. */
  readonly onShowMore: (() => void) | undefined;
}

export function ChatRow({ row, toggle, timeline, agent, me, outbox, onRetry, onShowMore }: ChatRowProps) {
  if (row.kind === 'pending')
    return (
      <PendingMessageRow
        pending={row.pending}
        onRetry={(id) => outbox.retry(id)}
        onRemove={(id) => outbox.remove(id)}
      />
    );
  if (row.kind === 'streaming')
    return (
      <StreamingMessage
        streaming={row.streaming}
        name={agent.name}
        steps={timeline.steps[row.streaming.messageId]}
      />
    );
  if (row.kind === 'question')
    return (
      <QuestionRow
        card={row.card}
        agentName={agent.name}
        isReadOnly={me?.accessLevel === 'viewer'}
        takesPageKeys
      />
    );
  if (row.kind === 'approval') return <ApprovalRow approval={row.approval} agentName={agent.name} />;
  if (row.kind === 'conversation')
    return <FoldedConversation conversation={row.conversation} agentId={agent.id} />;
  if (row.kind === 'cut') return <CutDivider onShowMore={onShowMore} />;
  if (row.kind !== 'message') return null;
  const { message, tookMs } = row;
  switch (message.sender) {
    case 'user':
      return (
        <OwnMessage
          message={message}
          agentId={agent.id}
          stateTimes={timeline.stateTimes[message.id]}
          isMine={message.humanId === me?.id}
          toggle={toggle}
          onRetry={onRetry}
        />
      );
    case 'system':
      return (
        <SystemMessage
          message={message}
          failedIds={failedBefore(timeline.messages, message)}
          onRetry={onRetry}
          runsOf={agent.id}
          agentId={me?.accessLevel === 'owner' ? agent.id : undefined}
        />
      );
    case 'agent':
      return (
        <AgentMessage
          message={message}
          tookMs={tookMs}
          steps={timeline.steps[message.id]}
          isOpen={toggle.isOpen}
          onToggle={toggle.onToggle}
        />
      );
  }
}
