import { DEFAULT_METRICS } from '@aizuchi/shared/platform/default-metrics';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export interface Metrics {
  readonly registry: Registry;
  readonly calls: Histogram<'call' | 'outcome'>;
}

export interface EmbeddingCounts {
  readonly embedded: number;
  readonly refused: number;
  readonly failures: number;
}

/** `stored`: how many events this process has made of what was said. `embedding`: only with a model for it. */
export function createMetrics(stored: () => number, embedding?: () => EmbeddingCounts): Metrics {
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
  if (embedding) addEmbedding(registers, embedding);
  const calls = new Histogram({
    name: 'aizuchi_memory_call_seconds',
    help: 'Time of searches and recalls, waiting for a place included',
    labelNames: ['call', 'outcome'],
    buckets: [0.0025, 0.005, 0.01, 0.02, 0.04, 0.06, 0.1, 0.15, 0.25, 0.5, 1, 2.5, 5],
    registers,
  });
  return { registry, calls };
}

function addEmbedding(registers: Registry[], counts: () => EmbeddingCounts): void {
  new Counter({
    name: 'aizuchi_memory_embedded_documents_total',
    help: 'Events and states that were embedded, those that the model refuses included',
    registers,
    collect() {
      this.reset();
      this.inc(counts().embedded);
    },
  });
  new Counter({
    name: 'aizuchi_memory_refused_documents_total',
    help: 'Events and states that the embedding model refuses',
    registers,
    collect() {
      this.reset();
      this.inc(counts().refused);
    },
  });
  new Gauge({
    name: 'aizuchi_memory_embedding_failures',
    help: 'Attempts to embed that failed since the last success',
    registers,
    collect() {
      this.set(counts().failures);
    },
  });
}
