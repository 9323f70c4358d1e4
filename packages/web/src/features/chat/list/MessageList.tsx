import { useVirtualizer } from '@tanstack/react-virtual';
import clsx from 'clsx';
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../components/Button.tsx';
import { Icon } from '../../../components/Icon.tsx';
import { Spinner } from '../../../components/Spinner.tsx';
import { useStore } from '../../../lib/store.ts';
import { dayOf } from '../../../lib/time.ts';
import type { ChatFeed } from '../timeline/chat-feed.ts';
import type { Row } from './rows.ts';
import { newSince } from './unread.ts';
import { END_PX, useKeepEnd } from './use-stick-to-end.ts';

interface MessageListProps {
  readonly name: string;
  readonly meId: string | undefined;
  readonly feed: ChatFeed;
  readonly rows: readonly Row[];
  readonly renderRow: (row: Row, toggle: RowToggle) => ReactNode;
  /** The message of the address. */
  readonly targetId: string | undefined;
  /** The card to show; counted, so that the same one can be asked for again. */
  readonly targetCard: TargetCard | undefined;
  readonly onAtEnd: (isAtEnd: boolean) => void;
  readonly empty: ReactNode;
}

export interface TargetCard {
  readonly toolUseId: string;
  readonly asked: number;
}

export interface RowToggle {
  readonly isOpen: boolean;
  readonly onToggle: (messageId: string) => void;
}

/** Older messages are read when this few rows are left above. */
const READ_AHEAD_ROWS = 8;
const ESTIMATES = {
  day: 16,
  unread: 16,
  message: 96,
  question: 32,
  conversation: 28,
  send: 62,
  growing: 96,
} as const;

/**
 * The messages, newest at the foot. Only what is on the screen is in the document; the list is anchored at its end,
 * so what is added above does not move what is read, and what is added below is followed by who looks there.
 */
export function MessageList({
  name,
  meId,
  feed,
  rows,
  renderRow,
  targetId,
  targetCard,
  onAtEnd,
  empty,
}: MessageListProps) {
  const { t } = useTranslation();
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const timeline = useStore(feed.timeline);
  const isLoadingOlder = useStore(feed.isLoadingOlder);
  const [isPlaced, setIsPlaced] = useState(false);
  const [isAtEnd, setIsAtEnd] = useState(true);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => ESTIMATES[rows[index]?.kind ?? 'message'],
    getItemKey: (index) => rows[index]?.key ?? index,
    anchorTo: 'end',
    followOnAppend: true,
    scrollEndThreshold: END_PX,
    overscan: 6,
    paddingStart: 12,
    paddingEnd: 8,
    gap: 16,
    onChange: (instance) => setIsAtEnd(instance.isAtEnd(END_PX)),
  });
  const items = virtualizer.getVirtualItems();
  const firstIndex = items[0]?.index ?? 0;

  useLayoutEffect(() => {
    if (!timeline.isLoaded || isPlaced) return;
    virtualizer.scrollToEnd();
    setIsPlaced(true);
  }, [timeline.isLoaded, isPlaced, virtualizer]);

  const canReadOlder = isPlaced && timeline.hasOlder && firstIndex <= READ_AHEAD_ROWS;
  const oldestId = timeline.messages[0]?.id;
  useEffect(() => {
    // Not read now: the next look upward asks again, and the line on top stays.
    if (canReadOlder) void feed.loadOlder().catch(() => undefined);
  }, [canReadOlder, oldestId, feed]);

  const end = useKeepEnd(scroller, content);
  const { keep: keepEnd, leave: leaveEnd } = end;
  const sendCount = rows.filter(({ kind }) => kind === 'send').length;
  useEffect(() => {
    if (sendCount > 0) keepEnd();
  }, [sendCount, keepEnd]);

  useEffect(() => onAtEnd(isAtEnd), [isAtEnd, onAtEnd]);
  const newCount = useNewCount(feed, isAtEnd, meId);
  const [marked, isMissing] = useTarget(feed, targetId, timeline.isLoaded, (messageId) => {
    const index = rowsIndex(rows, messageId);
    if (index < 0) return false;
    leaveEnd();
    virtualizer.scrollToIndex(index, { align: 'center' });
    return true;
  });

  const cardIndex = rows.findIndex((row) => row.kind === 'question' && row.key === targetCard?.toolUseId);
  const shownCard = useRef<TargetCard>(undefined);
  useEffect(() => {
    if (!isPlaced || cardIndex < 0 || shownCard.current === targetCard) return;
    shownCard.current = targetCard;
    leaveEnd();
    virtualizer.scrollToIndex(cardIndex, { align: 'center' });
  }, [isPlaced, cardIndex, targetCard, virtualizer, leaveEnd]);

  const toggle = (messageId: string) => {
    const next = new Set(open);
    if (!next.delete(messageId)) next.add(messageId);
    setOpen(next);
    // Anchored at the end it would show the message's last lines: the reader is at its first.
    leaveEnd();
    requestAnimationFrame(() => virtualizer.scrollToIndex(rowsIndex(rows, messageId), { align: 'start' }));
  };

  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={scroller}
        onScroll={end.onScroll}
        role="log"
        // What arrives is read aloud; not the history that scrolling brings into the document.
        aria-live={isPlaced && isAtEnd ? 'polite' : 'off'}
        aria-relevant="additions"
        aria-label={t('chat.log', { name })}
        aria-busy={!timeline.isLoaded}
        data-testid="chat-log"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keyboard.
        tabIndex={0}
        className="flex h-full flex-col overflow-x-hidden overflow-y-auto overscroll-contain px-4 -outline-offset-2 [overflow-anchor:none] max-sm:px-3"
      >
        {timeline.isLoaded && rows.length === 0 && <div className="my-auto py-6">{empty}</div>}
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
                  id !== undefined && id === marked && '-mx-2 rounded-md bg-amber-soft px-2',
                )}
                style={{ transform: `translateY(${item.start}px)` }}
              >
                {row.kind === 'day' ? (
                  <Line>
                    <DayText at={row.at} />
                  </Line>
                ) : row.kind === 'unread' ? (
                  <Line tone="accent">{t('chat.unread')}</Line>
                ) : (
                  renderRow(row, { isOpen: id !== undefined && open.has(id), onToggle: toggle })
                )}
              </div>
            );
          })}
        </div>
      </div>
      {isLoadingOlder && (
        <p className="absolute inset-x-0 top-2 flex justify-center">
          <span className="flex items-center gap-2 rounded-md border border-line bg-surface px-2 py-1 text-12 text-ink-2">
            <Spinner />
            {t('chat.older')}
          </span>
        </p>
      )}
      {isMissing && (
        <p
          role="status"
          className="absolute inset-x-3 top-2 rounded-md border border-line-strong bg-surface px-3 py-2 text-12 text-ink-2"
        >
          {t('chat.missing')}
        </p>
      )}
      <div role="status">
        {!isAtEnd && rows.length > 0 && (
          <Button
            size="sm"
            data-testid="chat-new-messages"
            aria-label={newCount > 0 ? undefined : t('chat.toEnd')}
            className={clsx(
              'absolute bottom-2 left-1/2 -translate-x-1/2',
              newCount > 0 && 'border-accent-line text-accent-ink',
            )}
            onClick={keepEnd}
          >
            {newCount > 0 && t('chat.newMessages', { count: newCount })}
            <Icon name="chevronDown" size={12} />
          </Button>
        )}
      </div>
    </div>
  );
}

function rowsIndex(rows: readonly Row[], messageId: string): number {
  return rows.findIndex((row) => row.kind === 'message' && row.message.id === messageId);
}

function Line({ tone, children }: { readonly tone?: 'accent'; readonly children: ReactNode }) {
  return (
    <div
      className={clsx(
        'flex items-center gap-2 text-11 before:h-px before:flex-1 after:h-px after:flex-1',
        tone === 'accent'
          ? 'text-accent-ink before:bg-accent-line after:bg-accent-line'
          : 'text-ink-3 before:bg-line after:bg-line',
      )}
    >
      {children}
    </div>
  );
}

function DayText({ at }: { readonly at: string }) {
  const { t, i18n } = useTranslation();
  const day = new Date(at);
  const today = new Date();
  const yesterday = new Date(today.getFullYear(), today.getMonth(), today.getDate() - 1);
  if (day.toDateString() === today.toDateString()) return t('chat.today');
  if (day.toDateString() === yesterday.toDateString()) return t('chat.yesterday');
  return dayOf(day, today, i18n.language);
}

/** What others said since the reader left the end. */
function useNewCount(feed: ChatFeed, isAtEnd: boolean, meId: string | undefined): number {
  const { messages } = useStore(feed.timeline);
  const lastSeq = messages.at(-1)?.seq ?? 0;
  const [seenSeq, setSeenSeq] = useState(lastSeq);
  useEffect(() => {
    if (isAtEnd) setSeenSeq(lastSeq);
  }, [isAtEnd, lastSeq]);
  return isAtEnd ? 0 : newSince(messages, seenSeq, meId);
}

/** Brings the message of the address into view once, and marks it. */
function useTarget(
  feed: ChatFeed,
  targetId: string | undefined,
  isLoaded: boolean,
  show: (messageId: string) => boolean,
): [marked: string | undefined, isMissing: boolean] {
  const [found, setFound] = useState<{ readonly id: string; readonly isThere: boolean }>();
  const shown = useRef<string>(undefined);
  useEffect(() => {
    if (targetId === undefined || !isLoaded) return;
    let isOver = false;
    void feed.find(targetId).then((isThere) => {
      if (!isOver) setFound({ id: targetId, isThere });
    });
    return () => {
      isOver = true;
    };
  }, [feed, targetId, isLoaded]);
  const isFound = found !== undefined && found.id === targetId;
  useEffect(() => {
    if (isFound && found.isThere && shown.current !== found.id && show(found.id)) shown.current = found.id;
  });
  return [isFound && found.isThere ? found.id : undefined, isFound && !found.isThere];
}
