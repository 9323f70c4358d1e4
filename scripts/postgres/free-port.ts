import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/*
 * All are below what Linux, macOS and Windows give to outgoing connections and to whoever listens on port 0: nobody takes
 * such a port by chance before it is used, nor between a kill and a restart.
 */
const TEST_PORTS = { from: 16_384, count: 8_192 };
/** Not those of the tests: the database of a product must not take what its test has chosen for its services. */
const PORTS = { from: 24_576, count: 8_192 };
/** Half of the blocks are for workers of the tests, half for other scripts, which may run beside them. */
const WORKERS = 32;
/** So many ports are one process's own: none takes what another has found and not bound yet. */
const BLOCK = TEST_PORTS.count / (2 * WORKERS);
const ATTEMPTS = 100;

const worker = Number(process.env.VITEST_POOL_ID) || undefined;
const block = worker === undefined ? WORKERS + (process.pid % WORKERS) : worker % WORKERS;
let last = randomInt(BLOCK);

/** A port of 127.0.0.1 that is free now, and not likely to be taken soon. */
export function findFreePort(): Promise<number> {
  return firstFree(() => PORTS.from + randomInt(PORTS.count));
}

/** The same for a test or another script that starts services. Each call gives another one. */
export function findTestPort(): Promise<number> {
  return firstFree(() => {
    last = (last + 1) % BLOCK;
    return TEST_PORTS.from + block * BLOCK + last;
  });
}

async function firstFree(next: () => number): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const port = next();
    if (await isFree(port)) return port;
  }
  throw new Error('No free port was found.');
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
