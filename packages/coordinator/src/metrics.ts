import { DEFAULT_METRICS } from '@aizuchi/shared/platform/default-metrics';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { PROCESS_STATES } from './process/process-state.ts';
import type { RunTable } from './run-table.ts';

export interface CoordinatorMetrics {
  readonly registry: Registry;
  readonly ended: Counter<'cause'>;
}

/** Counters of this process; the functions are called at each request. */
export function createMetrics(
  runs: () => Pick<RunTable, 'handles'>,
  waitingReports: () => number,
  spares: () => number,
): CoordinatorMetrics {
  const registry = new Registry();
  collectDefaultMetrics({ ...DEFAULT_METRICS, register: registry });
  new Gauge({
    name: 'aizuchi_coordinator_runs',
    help: 'Agent processes by state',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { handles } = runs();
      for (const state of PROCESS_STATES) {
        this.set({ state }, handles.filter((handle) => handle.state === state).length);
      }
    },
  });
  new Gauge({
    name: 'aizuchi_coordinator_reports_waiting',
    help: 'Runs with a report that the server has not taken yet',
    registers: [registry],
    collect() {
      this.set(waitingReports());
    },
  });
  new Gauge({
    name: 'aizuchi_coordinator_spare_runners',
    help: 'Started runners that wait for a run',
    registers: [registry],
    collect() {
      this.set(spares());
    },
  });
  const ended = new Counter({
    name: 'aizuchi_coordinator_runs_ended_total',
    help: 'Runs that have ended, by cause',
    labelNames: ['cause'],
    registers: [registry],
  });
  return { registry, ended };
}
