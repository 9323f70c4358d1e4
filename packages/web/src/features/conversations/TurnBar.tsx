import type { Message } from '@aizuchi/shared/contract/chat';
import type { Conversation } from '@aizuchi/shared/contract/conversation';
import clsx from 'clsx';

interface TurnBarProps {
  readonly conversation: Conversation;
  readonly messages: readonly Message[];
}

/** One mark for each allowed message, in the colour of its sender. The text beside it says the same. */
export function TurnBar({ conversation: { maxMessages, initiatorAgentId }, messages }: TurnBarProps) {
  const marks = Array.from({ length: maxMessages }, (_, index) => messages[index]?.senderId);
  return (
    <span aria-hidden="true" className="flex w-40 gap-0.5 @max-md:w-full">
      {marks.map((senderId, index) => (
        <i
          key={index}
          className={clsx(
            'h-1 flex-1 rounded-[1px]',
            senderId === undefined
              ? 'bg-line-strong'
              : senderId === initiatorAgentId
                ? 'bg-ink-3'
                : 'bg-accent',
          )}
        />
      ))}
    </span>
  );
}
