import { useVirtualizer } from '@tanstack/react-virtual';
import clsx from 'clsx';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../components/Button.tsx';
import { Icon } from '../../components/Icon.tsx';
import type { LogLine } from './log-lines.ts';
import { markWords } from './log-search.ts';

interface LogLinesProps {
  readonly lines: readonly LogLine[];
  readonly words: string;
  /** The line of the find that is looked at. */
  readonly hit: number | undefined;
  readonly isWrapped: boolean;
}

const LINE_PX = 20;
const END_PX = 24;

/** Only what is on the screen is in the document. Who looks at the end stays there while it grows. */
export function LogLines({ lines, words, hit, isWrapped }: LogLinesProps) {
  const { t } = useTranslation();
  const scroller = useRef<HTMLDivElement>(null);
  const [isAtEnd, setIsAtEnd] = useState(true);
  const virtualizer = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE_PX,
    overscan: 12,
    paddingStart: 8,
    paddingEnd: 8,
  });
  const isFollowing = isAtEnd && hit === undefined;
  const count = lines.length;
  useLayoutEffect(() => {
    if (isFollowing && count > 0) virtualizer.scrollToIndex(count - 1, { align: 'end' });
  }, [isFollowing, count, virtualizer]);
  useEffect(() => {
    if (hit !== undefined) virtualizer.scrollToIndex(hit, { align: 'center' });
  }, [hit, virtualizer]);
  return (
    <div className="relative min-h-0 flex-1">
      <section
        ref={scroller}
        aria-label={t('runs.log')}
        data-testid="run-log"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keyboard.
        tabIndex={0}
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) =>
          setIsAtEnd(scrollHeight - scrollTop - clientHeight < END_PX)
        }
        className="h-full overflow-auto overscroll-contain bg-sunken font-mono text-12 leading-5 -outline-offset-2 [font-variant-ligatures:none]"
      >
        <div className="relative min-w-full" style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map(({ index, key, start }) => {
            const line = lines[index];
            return (
              line && (
                <div
                  key={key}
                  ref={virtualizer.measureElement}
                  data-index={index}
                  style={{ transform: `translateY(${start}px)` }}
                  className={clsx(
                    'absolute top-0 left-0 flex min-w-full gap-4 px-4',
                    isWrapped && 'w-full',
                    index === hit && 'bg-amber-soft',
                  )}
                >
                  <span aria-hidden="true" className="num w-8 flex-none text-right text-ink-3 select-none">
                    {index + 1}
                  </span>
                  <Line line={line} words={words} isWrapped={isWrapped} />
                </div>
              )
            );
          })}
        </div>
      </section>
      {!isAtEnd && (
        <Button
          size="sm"
          className="absolute right-4 bottom-3"
          onClick={() => virtualizer.scrollToIndex(count - 1, { align: 'end' })}
        >
          {t('runs.toEnd')}
          <Icon name="chevronDown" size={12} />
        </Button>
      )}
    </div>
  );
}

function Line({ line, words, isWrapped }: Pick<LogLinesProps, 'words' | 'isWrapped'> & { line: LogLine }) {
  return (
    <span
      className={clsx('min-h-5 min-w-0', isWrapped ? 'whitespace-pre-wrap wrap-anywhere' : 'whitespace-pre')}
    >
      {markWords(line, words).map(({ text, className, isMark }, index) =>
        isMark ? (
          <mark key={index} className="rounded-sm bg-amber-line text-ink">
            {text}
          </mark>
        ) : (
          <span key={index} className={className}>
            {text}
          </span>
        ),
      )}
    </span>
  );
}
