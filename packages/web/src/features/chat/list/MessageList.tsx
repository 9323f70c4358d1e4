import clsx from 'clsx';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from '../../../lib/store.ts';
import { KeepInPlaceProvider } from './keep-in-place.ts';
import { LoadingOlder, MissingMessage, ToEndButton } from './ListNotices.tsx';
import { DayDivider, UnreadDivider } from './RowDividers.tsx';
import type { Row } from './rows.ts';
import { type MessageListInput, useMessageList } from './use-message-list.ts';

interface MessageListProps extends MessageListInput {
  /** The agent's name. */
  readonly name: string;
  readonly renderRow: (row: Row, toggle: RowToggle) => ReactNode;
  /** Shown while there are no rows. */
  readonly empty: ReactNode;
}

/** Folds and unfolds a long message. */
export interface RowToggle {
  readonly isOpen: boolean;
  readonly onToggle: (messageId: string) => void;
}

/** The messages, the newest at the bottom. */
export function MessageList({ name, renderRow, empty, ...input }: MessageListProps) {
  const { t } = useTranslation();
  const { rows, feed } = input;
  const list = useMessageList(input);
  const isLoadingOlder = useStore(feed.isLoadingOlder);
  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={list.scroller}
        onScroll={list.onScroll}
        role="log"
        // What arrives is read aloud, but not the history that scrolling brings into the document.
        aria-live={list.isPlaced && list.isAtEnd ? 'polite' : 'off'}
        aria-relevant="additions"
        aria-label={t('chat.log', { name })}
        aria-busy={!list.isLoaded}
        data-testid="chat-log"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keyboard.
        tabIndex={0}
        className="flex h-full flex-col overflow-x-hidden overflow-y-auto overscroll-contain px-4 -outline-offset-2 [overflow-anchor:none] max-sm:px-3"
      >
        {list.isLoaded && rows.length === 0 && <div className="my-auto py-6">{empty}</div>}
        <KeepInPlaceProvider value={list.keepInPlace}>
          <Rows list={list} rows={rows} renderRow={renderRow} />
        </KeepInPlaceProvider>
      </div>
      {isLoadingOlder && <LoadingOlder />}
      {list.isMissing && <MissingMessage />}
      <div role="status">
        {!list.isAtEnd && rows.length > 0 && (
          <ToEndButton newCount={list.newCount} onClick={list.scrollToEnd} />
        )}
      </div>
    </div>
  );
}

interface RowsProps extends Pick<MessageListProps, 'rows' | 'renderRow'> {
  readonly list: ReturnType<typeof useMessageList>;
}

function Rows({ list, rows, renderRow }: RowsProps) {
  const { virtualizer, items, content, markedId, unfoldedIds, toggle } = list;
  const rendered = (row: Row, id: string | undefined) => {
    if (row.kind === 'day') return <DayDivider at={row.at} />;
    if (row.kind === 'unread') return <UnreadDivider />;
    return renderRow(row, { isOpen: id !== undefined && unfoldedIds.has(id), onToggle: toggle });
  };
  return (
    <div
      ref={content}
      className="relative mt-auto w-full flex-none"
      style={{ height: virtualizer.getTotalSize() }}
    >
      {items.map((item) => {
        const row = rows[item.index];
        if (!row) return null;
        const id = row.kind === 'message' ? row.message.id : undefined;
        return (
          <div
            key={item.key}
            ref={virtualizer.measureElement}
            data-index={item.index}
            className={clsx(
              'absolute inset-x-0 top-0',
              id !== undefined && id === markedId && '-mx-2 rounded-md bg-amber-soft px-2',
            )}
            style={{ transform: `translateY(${item.start}px)` }}
          >
            {rendered(row, id)}
          </div>
        );
      })}
    </div>
  );
}
