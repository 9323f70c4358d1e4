import clsx from 'clsx';
import { useTranslation } from 'react-i18next';
import { Button } from '../../components/Button.tsx';
import { Icon } from '../../components/Icon.tsx';
import type { LogLine } from './log-lines.ts';
import { markMatches } from './log-search.ts';
import { useLogScroll } from './use-log-scroll.ts';

interface LogLinesProps {
  readonly lines: readonly LogLine[];
  /** What is searched for. */
  readonly words: string;
  /** The line of the current match. */
  readonly hit: number | undefined;
  readonly isWrapped: boolean;
}

/** Only the lines on the screen are in the document. */
export function LogLines({ lines, words, hit, isWrapped }: LogLinesProps) {
  const { t } = useTranslation();
  const { scroller, virtualizer, isAtEnd, onScroll, scrollToEnd } = useLogScroll(lines.length, hit);
  return (
    <div className="relative min-h-0 flex-1">
      <section
        ref={scroller}
        aria-label={t('runs.log')}
        data-testid="run-log"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keyboard.
        tabIndex={0}
        onScroll={onScroll}
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
        <Button size="sm" className="absolute right-4 bottom-3" onClick={scrollToEnd}>
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
      {markMatches(line, words).map(({ text, className, isMark }, index) =>
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
