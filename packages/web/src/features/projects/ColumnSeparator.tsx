import { type KeyboardEvent, type PointerEvent, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { MAX_WIDTH, MIN_WIDTH } from './use-column-width.ts';

interface ColumnSeparatorProps {
  readonly width: number;
  readonly onWidth: (width: number) => void;
}

const STEP = 16;

/** The left edge of the column: drag it, or use the arrow keys. */
export function ColumnSeparator({ width, onWidth }: ColumnSeparatorProps) {
  const { t } = useTranslation();
  const start = useRef<{ x: number; width: number }>(undefined);
  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    start.current = { x: event.clientX, width };
  };
  const onPointerMove = (event: PointerEvent<HTMLDivElement>) => {
    if (start.current) onWidth(start.current.width + start.current.x - event.clientX);
  };
  const onPointerUp = () => {
    start.current = undefined;
  };
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const next = { ArrowLeft: width + STEP, ArrowRight: width - STEP, Home: MIN_WIDTH, End: MAX_WIDTH }[
      event.key
    ];
    if (next === undefined) return;
    event.preventDefault();
    onWidth(next);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a separator that moves is no <hr>.
    <div
      role="separator"
      tabIndex={0}
      aria-label={t('projects.resize')}
      aria-orientation="vertical"
      aria-valuenow={width}
      aria-valuemin={MIN_WIDTH}
      aria-valuemax={MAX_WIDTH}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerUp}
      onKeyDown={onKeyDown}
      className="absolute inset-y-0 -left-1 z-10 w-2 cursor-col-resize touch-none hover:bg-accent-line/60 focus-visible:bg-accent-line active:bg-accent-line"
    />
  );
}
