import { expect, it } from 'vitest';
import { mergedSpans, timeHintOf } from './time-hint.ts';

const NOW = new Date('2026-11-23T00:00:00Z');
const day = (text: string) => new Date(`${text}T00:00:00Z`);
const span = (from: string, to: string) => ({ from: day(from), to: day(to) });

it('names each time once, however often a text does', () => {
  const once = timeHintOf('1月', NOW).spans;
  expect(once).toHaveLength(3);
  expect(timeHintOf('1月'.repeat(2_000), NOW).spans).toEqual(once);
  expect(timeHintOf('what happened in January 2026 and on 5 January 2026?', NOW).spans).toEqual(
    timeHintOf('what happened in January 2026?', NOW).spans,
  );
});

it('names at most twelve times, the first of the text', () => {
  const years = Array.from({ length: 50 }, (_, n) => `${1950 + n}-03-04`);
  const { spans } = timeHintOf(years.join(' and '), NOW);
  expect(spans).toEqual(timeHintOf(years.slice(0, 12).join(' and '), NOW).spans);
  expect(spans).toHaveLength(12);
});

it('joins the spans that share an instant, also by a third one', () => {
  expect(
    mergedSpans([
      span('2026-05-01', '2026-05-03'),
      span('2026-01-01', '2026-01-02'),
      span('2026-05-05', '2026-05-07'),
      span('2026-05-02', '2026-05-06'),
    ]),
  ).toEqual([span('2026-01-01', '2026-01-02'), span('2026-05-01', '2026-05-07')]);
});
