import type { MemoryThreads } from '@aizuchi/shared/contract/memory';

type ThreadedEvent = MemoryThreads['events'][number];

interface ThreadRow {
  readonly key: string;
  readonly y: number;
  readonly from: number;
  readonly to: number;
  readonly count: number;
}
interface ThreadDot {
  readonly id: string;
  readonly x: number;
  readonly y: number;
}
export interface ThreadGraph {
  readonly width: number;
  readonly height: number;
  readonly rows: readonly ThreadRow[];
  /** An event has one in each of its threads. */
  readonly dots: readonly ThreadDot[];
  /** Of events that are in several threads. */
  readonly joints: readonly {
    readonly id: string;
    readonly x: number;
    readonly from: number;
    readonly to: number;
  }[];
  /** Of connected events. */
  readonly arcs: readonly { readonly key: string; readonly path: string }[];
}

const MOST_ROWS = 8;
const MOST_COLUMNS = 24;
const ROW = 28;
const EDGE = 12;
/** On the left of the lines their numbers stand. */
const NUMBERS = 20;
const GRAPH_WIDTH = 320;

/** Threads as lines one below the other, the events of each as dots in the order of time; the longest threads first. */
export function threadGraph({ events, links }: MemoryThreads): ThreadGraph {
  const counts = new Map<string, number>();
  for (const { threadKeys } of events)
    for (const key of threadKeys) counts.set(key, (counts.get(key) ?? 0) + 1);
  const keys = [...counts.keys()]
    .toSorted((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0))
    .slice(0, MOST_ROWS);
  const shown = events
    .filter(({ threadKeys }) => threadKeys.some((key) => keys.includes(key)))
    .slice(-MOST_COLUMNS);
  const step = (GRAPH_WIDTH - NUMBERS - 2 * EDGE) / Math.max(1, shown.length - 1);
  const xOf = new Map(shown.map(({ id }, index) => [id, Math.round(NUMBERS + EDGE + index * step)]));
  const yOf = new Map(keys.map((key, index) => [key, ROW * index + ROW / 2]));
  const dotsOf = ({ id, threadKeys }: ThreadedEvent): ThreadDot[] =>
    threadKeys.flatMap((key) => {
      const [x, y] = [xOf.get(id), yOf.get(key)];
      return x === undefined || y === undefined ? [] : [{ id, x, y }];
    });
  const dots = shown.map(dotsOf);
  return {
    width: GRAPH_WIDTH,
    height: ROW * keys.length,
    rows: keys.flatMap((key) => {
      const y = yOf.get(key) ?? 0;
      const own = dots.flat().flatMap((dot) => (dot.y === y ? [dot.x] : []));
      return own.length === 0
        ? []
        : [{ key, y, from: Math.min(...own), to: Math.max(...own), count: counts.get(key) ?? 0 }];
    }),
    dots: dots.flat(),
    joints: dots.flatMap((of) => {
      const [first] = of;
      if (!first || of.length < 2) return [];
      const ys = of.map(({ y }) => y);
      return [{ id: first.id, x: first.x, from: Math.min(...ys), to: Math.max(...ys) }];
    }),
    arcs: links.flatMap(({ fromEventId, toEventId, label }) => {
      const [from] = dots.flat().filter(({ id }) => id === fromEventId);
      const [to] = dots.flat().filter(({ id }) => id === toEventId);
      if (!from || !to) return [];
      const top = Math.min(from.y, to.y) - 14;
      return [
        {
          key: `${fromEventId} ${toEventId} ${label}`,
          path: `M${from.x} ${from.y}Q${(from.x + to.x) / 2} ${top} ${to.x} ${to.y}`,
        },
      ];
    }),
  };
}
