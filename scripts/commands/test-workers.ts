import { availableParallelism } from 'node:os';

/** Two more than the cores: two thirds of the time a worker waits for Postgres, a process or a page. */
export const TEST_WORKERS = availableParallelism() + 2;
