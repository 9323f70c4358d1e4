import clsx from 'clsx';
import { Suspense } from 'react';
import { Markdown } from './lazy-markdown.ts';

/** Marks where the next word will appear. */
const CARET =
  "[&>p:last-child]:after:ml-px [&>p:last-child]:after:inline-block [&>p:last-child]:after:h-4 [&>p:last-child]:after:w-0.5 [&>p:last-child]:after:animate-pulse-slow [&>p:last-child]:after:bg-accent [&>p:last-child]:after:align-[-3px] [&>p:last-child]:after:content-['']";

/** What an agent has written; `isStreaming`: it goes on. */
export function AnswerBody({
  text,
  isStreaming = false,
}: {
  readonly text: string;
  readonly isStreaming?: boolean;
}) {
  return (
    <div
      className={clsx(
        'chat-text others-text flex flex-col gap-2 text-14 leading-message text-pretty wrap-anywhere',
        isStreaming && CARET,
      )}
    >
      <Suspense fallback={<p className="whitespace-pre-wrap">{text}</p>}>
        <Markdown unfolds={!isStreaming}>{text}</Markdown>
      </Suspense>
    </div>
  );
}
