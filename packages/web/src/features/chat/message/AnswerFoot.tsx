import type { Message } from '@aizuchi/shared/contract/chat';
import { Suspense, useId, useState } from 'react';
import { MemoryUsed } from '../memory-used/lazy-memory-used.ts';
import { WhyButton } from '../memory-used/WhyButton.tsx';
import { UsageLine } from './UsageLine.tsx';

interface AnswerFootProps {
  readonly message: Message;
  readonly tookMs: number | undefined;
}

/** What an answer has cost, and which memories it has used. */
export function AnswerFoot({ message, tookMs }: AnswerFootProps) {
  const id = useId();
  const [isOpen, setIsOpen] = useState(false);
  const { retrievalRunId: runId, projectId, senderId: agentId } = message;
  if (runId === undefined) return <UsageLine message={message} tookMs={tookMs} />;
  return (
    <>
      <UsageLine message={message} tookMs={tookMs}>
        <WhyButton isOpen={isOpen} controls={id} onToggle={() => setIsOpen(!isOpen)} />
      </UsageLine>
      {isOpen && (
        <Suspense>
          <MemoryUsed
            id={id}
            projectId={projectId}
            agentId={agentId}
            runId={runId}
            onClose={() => setIsOpen(false)}
          />
        </Suspense>
      )}
    </>
  );
}
