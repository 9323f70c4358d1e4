/** Succeeds if every service of this container is ready (/readyz). Otherwise exit code 1 and one line. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const timeoutMs = 4_000;

try {
  const file = join(process.env.AIZUCHI_HOME ?? '', 'run', 'services.json');
  const services = JSON.parse(readFileSync(file, 'utf8'));
  if (services.length === 0) throw new Error('no service runs yet');
  await Promise.all(services.map(checkReady));
} catch (error) {
  console.error(error.message);
  process.exit(1);
}

async function checkReady({ name, url }) {
  const { status } = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(timeoutMs) });
  if (status !== 200) throw new Error(`${name}: ${status}`);
}
