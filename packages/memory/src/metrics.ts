import { DEFAULT_METRICS } from '@aizuchi/shared/platform/default-metrics';
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';

export interface Metrics {
  readonly registry: Registry;
  readonly calls: Histogram<'call' | 'outcome'>;
}

/** `stored`: how many events this process has made of what was said. */
export function createMetrics(stored: () => number): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ ...DEFAULT_METRICS, register: registry });
  const registers = [registry];
  new Counter({
    name: 'aizuchi_memory_followed_events_total',
    help: 'Events that were made of answered messages',
    registers,
    collect() {
      this.reset();
      this.inc(stored());
    },
  });
  const calls = new Histogram({
    name: 'aizuchi_memory_call_seconds',
    help: 'Time of searches and recalls, waiting for a place included',
    labelNames: ['call', 'outcome'],
    buckets: [0.0025, 0.005, 0.01, 0.02, 0.04, 0.06, 0.1, 0.15, 0.25, 0.5, 1, 2.5, 5],
    registers,
  });
  return { registry, calls };
}
