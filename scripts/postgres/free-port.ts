import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below what Linux, macOS and Windows give to outgoing connections and to whoever listens on port 0: nobody takes such a
 * port by chance before it is used, nor between a kill and a restart.
 */
const PORTS = { from: 16_384, to: 32_767 };
const ATTEMPTS = 100;

/** A port of 127.0.0.1 that is free now, and not likely to be taken soon. */
export async function findFreePort(): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const port = randomInt(PORTS.from, PORTS.to + 1);
    if (await isFree(port)) return port;
  }
  throw new Error(`No free port was found between ${PORTS.from} and ${PORTS.to}.`);
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
