import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { supervisor } from '../../../scripts/commands/product.ts';
import {
  ProductProcess,
  processesOf,
  readServices,
  STOPPED_WITHIN_MS,
  throwAwayHome,
  until,
} from './product-process.ts';

let home = '';
let clean = async (): Promise<void> => undefined;
let product: ProductProcess | undefined;
let second: ProductProcess | undefined;

beforeEach(async () => {
  ({ home, clean } = await throwAwayHome());
});

afterEach(async () => {
  second?.kill('SIGTERM');
  await second?.exited;
  product?.kill('SIGTERM');
  await product?.exited;
  await clean();
});

function start(env: Record<string, string> = {}): ProductProcess {
  // Working directories are in the throw-away folder, too.
  const roots = home.replace(/home$/, 'work');
  product = new ProductProcess({ home, main: supervisor, env: { AIZUCHI_WORKSPACE_ROOTS: roots, ...env } });
  return product;
}

test('every service answers healthz and readyz, is restarted when killed, and ends within ten seconds', async () => {
  const running = start();
  const [passkey = '', signIn = '', ready = ''] = await running.ready();
  const services = await readServices(home);
  const web = services.find((service) => service.name === 'rest-api')?.url ?? '';
  expect(passkey).toMatch(/^AIZUCHI OWNER PASSKEY \S{8,}$/);
  expect(signIn.replace(/code=.*$/, 'code=')).toBe(`AIZUCHI SIGN-IN ${web}/login#code=`);
  expect(ready).toBe(`AIZUCHI READY ${web}`);

  for (const { name, pid, url } of services) {
    const health: unknown = await (await fetch(`${url}/healthz`)).json();
    expect(health).toMatchObject({ status: 'ok', service: name, pid });
    await until(async () => (await fetch(`${url}/readyz`)).status === 200);
    process.kill(pid, 'SIGKILL');
    await until(async () => {
      const entry = (await readServices(home)).find((service) => service.name === name);
      return entry !== undefined && entry.pid !== pid && entry.url === url;
    });
    await until(async () => (await fetch(`${url}/readyz`)).status === 200);
  }

  const { code, tookMs } = await running.stop();
  expect(code).toBe(0);
  expect(tookMs).toBeLessThan(STOPPED_WITHIN_MS);
  expect(await processesOf(home)).toEqual([]);
});

test('a second Coordinator of one id ends with exit code 2 and the reason; the first continues', async () => {
  const running = start({ COORDINATOR_ID: 'twice' });
  await running.ready();
  const before = await readServices(home);
  const mcp = before.find(({ name }) => name === 'mcp-server')?.url ?? '';
  const elsewhere = await throwAwayHome();
  second = new ProductProcess({
    home: elsewhere.home,
    main: supervisor,
    env: {
      AIZUCHI_SERVICES: 'coordinator',
      AIZUCHI_MCP_URL: `${mcp}/mcp`,
      MCP_COORDINATOR_TOKEN: (await readFile(join(home, 'secrets', 'coordinator-token'), 'utf8')).trim(),
      COORDINATOR_ID: 'twice',
      AIZUCHI_WORKSPACE_ROOTS: home.replace(/home$/, 'work'),
    },
  });
  try {
    expect(await second.exited).toBe(2);
    expect(second.stdout).toBe('');
    const sentence = /^The COORDINATOR_ID twice is in use by another Coordinator, on the host .*\.$/m;
    expect(second.stderr).toMatch(sentence);
    expect(await processesOf(elsewhere.home)).toEqual([]);
  } finally {
    await elsewhere.clean();
  }
  expect(await readServices(home)).toEqual(before);
  expect((await running.stop()).code).toBe(0);
});

test('the sign-in link signs in once, and the given passkey becomes the owner’s', async () => {
  const running = start({ AIZUCHI_OWNER_PASSKEY: 'given-passkey' });
  const lines = await running.ready();
  expect(lines.map((line) => line.split(' ')[1])).toEqual(['SIGN-IN', 'READY']);
  const web = lines[1]?.split(' ')[2] ?? '';
  const code = lines[0]?.split('#code=')[1] ?? '';
  expect(await login(web, { code })).toBe(200);
  expect(await login(web, { code })).toBe(401);
  expect(await login(web, { agentId: 'owner', passkey: 'given-passkey' })).toBe(200);
  const everything = running.stdout + running.stderr;
  expect(everything).not.toContain('given-passkey');
});

async function login(web: string, body: Record<string, string>): Promise<number> {
  const response = await fetch(`${web}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return response.status;
}
