import { DEFAULT_METRICS } from '@aizuchi/shared/platform/default-metrics';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** The metrics of this process for Prometheus. */
export interface Metrics {
  readonly registry: Registry;
  /** Read at each request of Prometheus. */
  heldCalls: () => number;
  /** How often the sweeper of this process had to skip a row, by step. */
  sweepSkipped: () => ReadonlyMap<string, number>;
  readonly toolCalls: Histogram<'tool' | 'outcome'>;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ ...DEFAULT_METRICS, register: registry });
  const registers = [registry];
  const metrics: Metrics = {
    registry,
    heldCalls: () => 0,
    sweepSkipped: () => new Map(),
    toolCalls: new Histogram({
      name: 'aizuchi_mcp_tool_seconds',
      help: 'Time of tool calls, holding included',
      labelNames: ['tool', 'outcome'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30],
      registers,
    }),
  };
  new Gauge({
    name: 'aizuchi_mcp_held_calls',
    help: 'Calls that wait for something to say',
    registers,
    collect() {
      this.set(metrics.heldCalls());
    },
  });
  new Counter({
    name: 'aizuchi_sweep_skipped_total',
    help: 'Rows and whole steps that the sweeper skipped because they failed',
    labelNames: ['step'],
    registers,
    collect() {
      this.reset();
      for (const [step, count] of metrics.sweepSkipped()) this.inc({ step }, count);
    },
  });
  return metrics;
}

export function toolObserver(
  metrics: Metrics,
): (tool: string, outcome: 'ok' | 'error', seconds: number) => void {
  return (tool, outcome, seconds) => metrics.toolCalls.observe({ tool, outcome }, seconds);
}
