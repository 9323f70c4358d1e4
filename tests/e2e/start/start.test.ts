import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { makeHomeWithDatabase } from '../../../scripts/commands/prepared-database.ts';
import {
  startThrowawayPostgres,
  type ThrowawayPostgres,
} from '../../../scripts/postgres/throwaway-postgres.ts';
import {
  ProductProcess,
  postgresPid,
  processesOf,
  readServices,
  type ServiceEntry,
  STOPPED_WITHIN_MS,
  throwAwayHome,
  until,
} from './product-process.ts';

const isRoot = process.getuid?.() === 0;

let home = '';
let clean = async (): Promise<void> => undefined;
let started: ProductProcess[] = [];

beforeEach(async () => {
  ({ home, clean } = await throwAwayHome());
  started = [];
});

afterEach(async () => {
  for (const product of started) product.kill('SIGTERM');
  await Promise.all(started.map((product) => product.exited));
  // A process that ends only by itself (an initdb whose start was killed) gets time to do so.
  const isGone = async () => (await processesOf(home)).length === 0;
  const left = await until(isGone).then(
    () => [],
    () => processesOf(home),
  );
  for (const line of left) process.kill(Number(line.split(' ')[0]), 'SIGKILL');
  await clean();
  expect(left).toEqual([]);
});

function start(env: Record<string, string> = {}): ProductProcess {
  const product = new ProductProcess({ home, env });
  started.push(product);
  return product;
}

describe('a start', () => {
  test('prints the lines of the contract, writes services.json, and ends everything within ten seconds', async () => {
    const product = start();
    const lines = await product.ready();
    const services = await readServices(home);
    const web = services.find((service) => service.name === 'rest-api')?.url;
    expect(lines).toEqual([
      'AIZUCHI OWNER PASSKEY made-now',
      `AIZUCHI SIGN-IN ${web}/login#code=the-code`,
      `AIZUCHI READY ${web}`,
    ]);
    expect(services.map((service) => service.name).sort()).toEqual([
      'coordinator',
      'mcp-server',
      'memory',
      'rest-api',
    ]);
    for (const service of services) {
      expect(await health(service)).toMatchObject({ service: service.name, pid: service.pid });
    }
    expect(await readdir(join(home, 'logs'))).toEqual(
      expect.arrayContaining([
        'coordinator.log',
        'mcp-server.log',
        'memory.log',
        'postgres.log',
        'rest-api.log',
        'supervisor.log',
      ]),
    );

    const { code, tookMs } = await product.stop();
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(STOPPED_WITHIN_MS);
    expect(await processesOf(home)).toEqual([]);

    const again = start({ AIZUCHI_OWNER_PASSKEY: '' });
    expect((await again.ready()).map((line) => line.split(' ')[1])).toEqual(['SIGN-IN', 'READY']);
  });

  test('passes to each service the urls of the others and the files of its secrets, and no other secret', async () => {
    await makeHomeWithDatabase(home);
    await start({ AIZUCHI_OWNER_PASSKEY: 'a-passkey-given' }).ready();
    const services = new Map((await readServices(home)).map((service) => [service.name, service]));
    const mcpUrl = `${services.get('mcp-server')?.url}/mcp`;
    const secrets = join(home, 'secrets');
    const coordinator = await environmentOf(services.get('coordinator'));
    expect(coordinator).toMatchObject({
      AIZUCHI_MCP_URL: mcpUrl,
      MCP_COORDINATOR_TOKEN_FILE: join(secrets, 'coordinator-token'),
    });
    expect(Object.keys(coordinator).join()).not.toMatch(/DATABASE_URL|AIZUCHI_INTERNAL_TOKEN/);
    const rest = await environmentOf(services.get('rest-api'));
    expect(rest).toMatchObject({
      DATABASE_URL_FILE: join(secrets, 'database-url'),
      AIZUCHI_INTERNAL_TOKEN_FILE: join(secrets, 'internal-token'),
    });
    expect(Object.keys(rest).join()).not.toContain('MCP_COORDINATOR_TOKEN');
    const memory = services.get('memory');
    for (const asking of [rest, await environmentOf(services.get('mcp-server'))])
      expect(asking.AIZUCHI_MEMORY_URL).toBe(memory?.url);
    expect(await environmentOf(memory)).toMatchObject({
      DATABASE_URL_FILE: join(secrets, 'database-url'),
      AIZUCHI_INTERNAL_TOKEN_FILE: join(secrets, 'internal-token'),
    });
    expect(await readFile(join(secrets, 'database-url'), 'utf8')).toMatch(
      /^postgres:\/\/aizuchi_services:.*@127\.0\.0\.1:\d+\/aizuchi\n$/,
    );
    const kept = await Promise.all(
      (await readdir(secrets)).map(async (name) => (await readFile(join(secrets, name), 'utf8')).trim()),
    );
    for (const service of services.values()) {
      const environment = JSON.stringify(await environmentOf(service));
      expect(environment).not.toContain('a-passkey-given');
      expect(kept.filter((secret) => environment.includes(secret))).toEqual([]);
    }
  });

  test('passes on secrets that are set, as a variable or as a file', async () => {
    await makeHomeWithDatabase(home);
    const file = join(home, '..', 'token-of-mine');
    await writeFile(file, 'a-token-that-is-mine\n', { mode: 0o600 });
    await start({ MCP_COORDINATOR_TOKEN_FILE: file, AIZUCHI_INTERNAL_TOKEN: 'another-of-mine' }).ready();
    const services = new Map((await readServices(home)).map((service) => [service.name, service]));
    expect(await environmentOf(services.get('coordinator'))).toMatchObject({
      MCP_COORDINATOR_TOKEN_FILE: file,
    });
    const rest = await environmentOf(services.get('rest-api'));
    expect(rest).toMatchObject({ AIZUCHI_INTERNAL_TOKEN: 'another-of-mine' });
    expect(Object.keys(rest).join()).not.toContain('MCP_COORDINATOR_TOKEN');
    expect((await readdir(join(home, 'secrets'))).sort()).toEqual([
      'database-password',
      'database-url',
      'postgres-password',
    ]);
  });

  test('makes its folders readable by its own account only', async () => {
    await start().ready();
    const rights = Object.fromEntries(
      await Promise.all(
        ['.', 'secrets', 'logs', 'data', 'run/bin'].map(
          async (name) => [name, (await stat(join(home, name))).mode & 0o777] as const,
        ),
      ),
    );
    expect(rights).toEqual({
      '.': isRoot ? 0o711 : 0o700,
      secrets: 0o700,
      logs: 0o700,
      data: 0o700,
      'run/bin': 0o755,
    });
    for (const name of await readdir(join(home, 'secrets'))) {
      expect((await stat(join(home, 'secrets', name))).mode & 0o777).toBe(0o600);
    }
    if (isRoot) expect((await stat(join(home, 'data'))).uid).not.toBe(0);
  });

  test('that is stopped while it is starting leaves no process', async () => {
    const product = start();
    await until(() =>
      readdir(join(home, 'data')).then(
        () => true,
        () => false,
      ),
    );
    const { code, tookMs } = await product.stop();
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(STOPPED_WITHIN_MS);
    expect(product.stdout).toBe('');
  });

  test('of the Coordinator alone needs no database, but a server to work for', async () => {
    const lost = start({ AIZUCHI_SERVICES: 'coordinator' });
    expect(await lost.exited).toBe(2);
    expect(lost.stderr).toMatch(/^AIZUCHI_MCP_URL must be set .*\n$/);

    const product = start({
      AIZUCHI_SERVICES: 'coordinator',
      AIZUCHI_MCP_URL: 'http://127.0.0.1:9/mcp',
      MCP_COORDINATOR_TOKEN: 'a-token-from-elsewhere',
    });
    const lines = await product.ready();
    const [coordinator] = await readServices(home);
    expect(lines).toEqual([`AIZUCHI READY ${coordinator?.url}`]);
    expect(await environmentOf(coordinator)).toMatchObject({
      AIZUCHI_MCP_URL: 'http://127.0.0.1:9/mcp',
      MCP_COORDINATOR_TOKEN: 'a-token-from-elsewhere',
    });
    expect(await readdir(join(home, 'data'))).toEqual([]);
    expect(await readdir(join(home, 'secrets'))).toEqual([]);
  });
});

describe('a start that fails', () => {
  test('with a bad variable ends with 2', async () => {
    await expectRefusal(start({ QUESTION_TIMEOUT_SECONDS: 'soon' }), 2, /^QUESTION_TIMEOUT_SECONDS .*\n$/);
    await expectRefusal(start({ AIZUCHI_SERVICES: 'rest-api,cook' }), 2, /cook/);
    const nowhere = join(home, 'no', 'such', 'folder');
    await expectRefusal(
      start({ AIZUCHI_WORKSPACE_ROOTS: nowhere }),
      2,
      /AIZUCHI_WORKSPACE_ROOTS .* \(ENOENT\)/,
    );
  });

  test('with a taken port ends with 3, before a database is made', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = address !== null && typeof address === 'object' ? address.port : 0;
    try {
      await expectRefusal(start({ MCP_PORT: String(port) }), 3, new RegExp(`Port ${port} .* MCP_PORT`));
      expect(await readdir(join(home, 'data'))).toEqual([]);
    } finally {
      server.close();
    }
  });

  test('on a home that cannot be written ends with 4', async () => {
    await writeFile(home, 'a file where a folder should be');
    await expectRefusal(start(), 4, /^AIZUCHI_HOME .* cannot be used \((EEXIST|ENOTDIR)\)\.\n$/);
  });

  test('on the home of a running instance ends with 4 and does not affect that instance', async () => {
    await makeHomeWithDatabase(home);
    const first = start();
    await first.ready();
    await expectRefusal(start(), 4, /Another Aizuchi is running/);
    for (const service of await readServices(home))
      expect(await health(service)).toMatchObject({ status: 'ok' });
    expect((await first.stop()).code).toBe(0);
  });

  test('on the home directory of a person ends with 4, and changes no permissions there', async () => {
    await mkdir(home, { mode: 0o750 });
    const before = (await stat(home)).mode;
    await expectRefusal(start({ HOME: home }), 4, /must be a folder of its own/);
    expect((await stat(home)).mode).toBe(before);
    expect(await readdir(home)).toEqual([]);
  });
});

describe('a database that is not ours', () => {
  let server: ThrowawayPostgres;

  beforeAll(async () => {
    server = await startThrowawayPostgres();
    await query(server.adminUrl, `create database ascii template template0 encoding 'SQL_ASCII' locale 'C'`);
    await query(server.adminUrl, `create database good template template0 encoding 'UTF8'`);
  });
  afterAll(() => server.stop());

  test('is used if it is UTF-8, and keeps running after our stop', async () => {
    const product = start({ DATABASE_URL: urlOf(server, 'good') });
    await product.ready();
    expect(await readdir(join(home, 'data'))).toEqual(['seeded']);
    await product.stop();
    await query(server.adminUrl, 'select 1');
  });

  test('is refused with 5 if it is SQL_ASCII, unknown or not available', async () => {
    await expectRefusal(
      start({ DATABASE_URL: urlOf(server, 'ascii') }),
      5,
      /SQL_ASCII; Aizuchi needs UTF8\.\n$/,
    );
    await expectRefusal(
      start({ DATABASE_URL: urlOf(server, 'nowhere') }),
      5,
      /database "nowhere" does not exist/,
    );
    const away = start({ DATABASE_URL: 'postgres://u:the-password@127.0.0.1:9/x' });
    await expectRefusal(away, 5, /127\.0\.0\.1:9\/x cannot be used/);
    expect(away.stderr).not.toContain('the-password');
  });
});

describe('a killed process', () => {
  test('is started again on the same url, for each service', async () => {
    await makeHomeWithDatabase(home);
    const product = start();
    await product.ready();
    for (const { name, pid, url } of await readServices(home)) {
      process.kill(pid, 'SIGKILL');
      await until(async () => {
        const entry = (await readServices(home)).find((service) => service.name === name);
        return entry !== undefined && entry.pid !== pid;
      });
      const entry = (await readServices(home)).find((service) => service.name === name);
      expect(entry?.url).toBe(url);
      expect(await health(entry)).toMatchObject({ pid: entry?.pid });
    }
    expect(product.stdout.match(/READY/g)).toHaveLength(1);
  });

  test('is started again on the same port if it was the database', async () => {
    await makeHomeWithDatabase(home);
    await start().ready();
    const [rest] = (await readServices(home)).filter((service) => service.name === 'rest-api');
    const { DATABASE_URL_FILE: file = '' } = await environmentOf(rest);
    const url = (await readFile(file, 'utf8')).trim();
    const pid = await postgresPid(home);
    process.kill(pid, 'SIGKILL');
    await until(async () => (await postgresPid(home).catch(() => pid)) !== pid);
    await until(() =>
      query(url, 'select 1').then(
        () => true,
        () => false,
      ),
    );
  });

  test('ends its services if it was the supervisor, and the next start finds the database', async () => {
    await makeHomeWithDatabase(home);
    const first = start();
    await first.ready();
    const services = await readServices(home);
    const database = await postgresPid(home);
    first.kill('SIGKILL');
    await first.exited;

    const second = start();
    await second.ready();
    expect(await postgresPid(home)).toBe(database);
    const alive = await processesOf(home);
    for (const { pid } of services) expect(alive.some((line) => line.startsWith(`${pid} `))).toBe(false);
    expect((await second.stop()).code).toBe(0);
    expect(await processesOf(home)).toEqual([]);
  });

  test('of a start that was creating the database does not prevent the next start', async () => {
    const first = start();
    await until(async () =>
      (await readdir(join(home, 'data')).catch((): string[] => [])).some((name) =>
        name.startsWith('postgres.partial-'),
      ),
    );
    first.kill('SIGKILL');
    await first.exited;
    await start().ready();
  });

  test('whose pid now belongs to another program is not taken for the database', async () => {
    await makeHomeWithDatabase(home);
    const first = start();
    await first.ready();
    await first.stop();
    const stale = [
      String(process.pid),
      join(home, 'data', 'postgres'),
      '1',
      '5432',
      '',
      '127.0.0.1',
      '',
      'ready',
      '',
    ];
    await writeFile(join(home, 'data', 'postgres', 'postmaster.pid'), stale.join('\n'));
    await start().ready();
  });
});

test('a home given as an existing empty folder is used', async () => {
  await mkdir(home, { mode: 0o700 });
  await start().ready();
});

async function expectRefusal(product: ProductProcess, code: number, sentence: RegExp): Promise<void> {
  expect({ code: await product.exited, stdout: product.stdout }).toEqual({ code, stdout: '' });
  const lines = product.stderr.split('\n').filter((line) => line && !line.startsWith('{'));
  expect(lines).toHaveLength(1);
  expect(`${lines[0]}\n`).toMatch(sentence);
}

async function health(service: ServiceEntry | undefined): Promise<unknown> {
  return (await fetch(`${service?.url}/healthz`)).json();
}

async function environmentOf(service: ServiceEntry | undefined): Promise<Record<string, string>> {
  return (await (await fetch(`${service?.url}/environment`)).json()) as Record<string, string>;
}

function urlOf(server: ThrowawayPostgres, database: string): string {
  const url = new URL(server.adminUrl);
  url.pathname = `/${database}`;
  return url.href;
}

async function query(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}
