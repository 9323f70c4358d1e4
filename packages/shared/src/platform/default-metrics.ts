/**
 * For prom-client's default metrics. It samples the delay of the event loop by a timer; at its own interval of 10 ms that
 * alone costs a process at rest 0.4 % of a core (bench `idle`).
 */
export const DEFAULT_METRICS = { eventLoopMonitoringPrecision: 500 } as const;
