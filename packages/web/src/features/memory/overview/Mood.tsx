import type { MemoryMood } from '@aizuchi/shared/contract/memory';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { joined } from '../../../lib/joined.ts';
import { dayOf, useNow } from '../../../lib/time.ts';
import { type MemoryPart, moodQuery } from '../use-memory.ts';
import { MOOD_BOX, type MoodLine, moodLine, toneOf, yOf } from './mood-line.ts';

/** How the agent has felt lately, as a line, and in words. Nothing where nothing was felt. */
export function Mood({ part }: { readonly part: MemoryPart }) {
  const { t, i18n } = useTranslation();
  const now = useNow(60_000);
  const { data } = useQuery(moodQuery(part));
  if (!data?.now) return null;
  const line = moodLine(data.moments);
  const day = (at: string) => dayOf(new Date(at), now, i18n.language);
  const tone = t(`memoryPage.mood.${toneOf(data.now.v)}`);
  const lowest = line && toneOf(line.lowest.moment.mood.v) === 'low' ? line.lowest.moment : undefined;
  const low = lowest && t('memoryPage.mood.lowest', { day: day(lowest.at), text: lowest.bodyText });
  return (
    <div className="flex min-w-0 items-center gap-3" data-testid="memory-mood">
      {line && <Line line={line} label={joined([t('memoryPage.mood.line'), tone, low])} />}
      <p className="min-w-0 text-12 text-ink-2">
        <span className="block font-medium text-ink">{tone}</span>
        <span className="line-clamp-1 wrap-anywhere">{low ?? wordsOf(data)}</span>
      </p>
    </div>
  );
}

function wordsOf({ words, moments }: MemoryMood): string {
  return words ?? moments.at(-1)?.bodyText ?? '';
}

function Line({ line: { path, lowest, last }, label }: { readonly line: MoodLine; readonly label: string }) {
  const { width, height } = MOOD_BOX;
  return (
    <svg
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      role="img"
      aria-label={label}
      className="flex-none"
    >
      <path d={`M0 ${yOf(0)}H${width}`} strokeDasharray="2 3" className="stroke-line-strong" fill="none" />
      <path d={path} fill="none" strokeWidth="1.5" strokeLinejoin="round" className="stroke-accent" />
      {toneOf(lowest.moment.mood.v) === 'low' && (
        <circle cx={lowest.x} cy={lowest.y} r="2.5" strokeWidth="1.5" className="fill-canvas stroke-amber" />
      )}
      <circle cx={last.x} cy={last.y} r="2.5" className="fill-accent" />
    </svg>
  );
}
