import { DEFAULT_METRICS } from '@aizuchi/shared/platform/default-metrics';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** The metrics that Prometheus reads from this process. */
export interface Metrics {
  readonly registry: Registry;
  readonly requests: Histogram<'method' | 'route' | 'status'>;
  readonly sockets: Gauge;
  readonly frames: Counter;
  readonly slowSockets: Counter;
}

/** `sweepSkipped`: how often the sweeper had to skip a row or a step, by step. */
export function createMetrics(sweepSkipped: () => ReadonlyMap<string, number>): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ ...DEFAULT_METRICS, register: registry });
  const registers = [registry];
  new Counter({
    name: 'aizuchi_sweep_skipped_total',
    help: 'Rows and whole steps that the sweeper skipped because they failed',
    labelNames: ['step'],
    registers,
    collect() {
      this.reset();
      for (const [step, count] of sweepSkipped()) this.inc({ step }, count);
    },
  });
  return {
    registry,
    requests: new Histogram({
      name: 'aizuchi_http_request_seconds',
      help: 'Time from the request to the end of its response',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      registers,
    }),
    sockets: new Gauge({ name: 'aizuchi_websocket_connections', help: 'Open WebSockets', registers }),
    frames: new Counter({
      name: 'aizuchi_websocket_frames_total',
      help: 'Frames of the log that were sent',
      registers,
    }),
    slowSockets: new Counter({
      name: 'aizuchi_websocket_slow_total',
      help: 'WebSockets closed because they read too slowly',
      registers,
    }),
  };
}
