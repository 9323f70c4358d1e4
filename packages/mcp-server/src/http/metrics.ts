import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** What Prometheus reads from this process. */
export interface Metrics {
  readonly registry: Registry;
  readonly toolCalls: Histogram<'tool' | 'outcome'>;
}

export function createMetrics(heldCalls: () => number): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  new Gauge({
    name: 'aizuchi_mcp_held_calls',
    help: 'Calls that wait for something to say',
    registers,
    collect() {
      this.set(heldCalls());
    },
  });
  return {
    registry,
    toolCalls: new Histogram({
      name: 'aizuchi_mcp_tool_seconds',
      help: 'Time of tool calls, holding included',
      labelNames: ['tool', 'outcome'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30],
      registers,
    }),
  };
}
