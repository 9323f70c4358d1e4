import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createLogger } from '../../../platform/logger.ts';
import { Collection } from './collection.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const newCollection = (budgetMs?: number) =>
  new Collection(createLogger('test', { level: 'silent' }), budgetMs);

/** Takes so long, by the clock of the test. */
const taking = (ms: number) => new Promise<string>((done) => setTimeout(done, ms, 'found'));

it('gives the collectors their time, however long the plan has taken, within the budget', async () => {
  const collection = newCollection(2_000);
  const plan = collection.step('plan', 1_500, () => taking(1_000));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await plan).toBe('found');
  collection.beginCollectors();
  const all = Promise.all([
    collection.collect('ngram', 600, () => taking(500)),
    collection.collect('about_time', 400, () => taking(500)),
    collection.collect('vector', 2_000, () => taking(1_001)),
  ]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await all).toEqual(['found', null, null]);
  expect(collection.errors).toEqual({ about_time: 'late', vector: 'late' });
});

it('tells a collector that it was left behind', async () => {
  const collection = newCollection();
  const signals: AbortSignal[] = [];
  const late = collection.collect('ngram', 100, async (signal) => {
    signals.push(signal);
    await taking(300);
  });
  await vi.advanceTimersByTimeAsync(99);
  expect(signals[0]?.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(await late).toBeNull();
  expect(signals[0]?.aborted).toBe(true);
});
