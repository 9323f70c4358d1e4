import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { HintLineLimits } from '../../src/platform/change-log/hint-line.ts';
import { EVERYTHING } from '../../src/platform/change-log/keys.ts';
import { Listener } from '../../src/platform/change-log/listener.ts';
import { CHANNEL, Notifier } from '../../src/platform/change-log/notifier.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { createTestDatabase, type TestDatabase } from '../../src/testing/test-database.ts';
import { LONG_TIMEOUT_MS } from '../../src/testing/timeouts.ts';

/** A line between us and Postgres that may go dead without a word: it accepts everything and carries nothing. */
class Line {
  /** Of the lines that exist; those that come later work. */
  readonly #silent = new Set<Socket>();
  readonly #sockets = new Set<Socket>();
  /** Those that our side has not ended. */
  readonly #open = new Set<Socket>();
  readonly #server: Server;
  readonly url: string;
  isSilentForNew = false;

  static async create(target: string): Promise<Line> {
    const { hostname, port } = new URL(target);
    // A dead line does not say goodbye either: who ends his half gets no answer.
    const server = createServer({ allowHalfOpen: true }, (caller) =>
      line.#carry(caller, connect({ port: Number(port), host: hostname, allowHalfOpen: true })),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const line = new Line(server, target);
    return line;
  }

  private constructor(server: Server, target: string) {
    this.#server = server;
    const url = new URL(target);
    url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    this.url = url.href;
  }

  get open(): number {
    return this.#open.size;
  }

  goSilent(): void {
    for (const socket of this.#open) this.#silent.add(socket);
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #carry(caller: Socket, server: Socket): void {
    this.#open.add(caller);
    if (this.isSilentForNew) this.#silent.add(caller);
    for (const [one, other] of [
      [caller, server],
      [server, caller],
    ] as const) {
      one.on('data', (chunk) => {
        if (!this.#silent.has(caller)) other.write(chunk);
      });
      one.on('end', () => {
        if (!this.#silent.has(caller)) other.end();
      });
      one.on('error', () => other.destroy());
      this.#sockets.add(one);
    }
    for (const event of ['end', 'close']) caller.on(event, () => this.#open.delete(caller));
  }
}

const logger = createLogger('test', { level: 'silent' });
/** So that only NOTIFY can have told it. */
const pollIntervalMs = 600_000;
/** A busy machine takes long to begin a connection that lives. */
const SLOW = { connectMs: LONG_TIMEOUT_MS } satisfies HintLineLimits;
/** Also to answer: for lines that nothing cuts. */
const PATIENT = { ...SLOW, answerMs: LONG_TIMEOUT_MS } satisfies HintLineLimits;

let database: TestDatabase;
let direct: pg.Client;
let line: Line;
let heard: string[];
const stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  direct = new pg.Client({ connectionString: database.url });
  await direct.connect();
});
afterAll(async () => {
  await direct.end();
  await database.drop();
});
beforeEach(async () => {
  line = await Line.create(database.url);
  heard = [];
});
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
  await line.close();
});

async function listen(url: string, limits: HintLineLimits = PATIENT): Promise<void> {
  const onKeys = (keys: readonly string[]) => void heard.push(...keys);
  const listener = new Listener({ url, logger, onKeys, pollIntervalMs, limits });
  stops.push(() => listener.stop());
  await listener.start();
}

function notifierOver(url: string, limits: HintLineLimits): Notifier {
  const notifier = new Notifier({ url, logger, limits });
  stops.push(() => notifier.stop());
  return notifier;
}

const count = (key: string) => heard.filter((one) => one === key).length;

it('a notifier whose line is dead sends the same hint over a new one, and ends the old one', async () => {
  await listen(database.url);
  const notifier = notifierOver(line.url, SLOW);
  notifier.notify(['before']);
  await expect.poll(() => count('before')).toBeGreaterThan(0);
  line.goSilent();
  notifier.notify(['swallowed']);
  await expect.poll(() => count('swallowed')).toBe(1);
  await expect.poll(() => line.open).toBe(1);
  notifier.notify(['after']);
  await expect.poll(() => count('after')).toBe(1);
});

it('what comes up while the line is dead for every connection is sent when it carries again', async () => {
  await listen(database.url);
  // Long enough for the new line, which lives, and short enough to wait for that of the dead one.
  const notifier = notifierOver(line.url, { connectMs: 8_000 });
  line.isSilentForNew = true;
  notifier.notify(['lost at worst']);
  await expect.poll(() => line.open).toBe(1);
  notifier.notify(['while it was silent']);
  line.isSilentForNew = false;
  await expect.poll(() => count('while it was silent')).toBe(1);
  await expect.poll(() => line.open).toBe(1);
});

it('a listener whose line is dead finds out by itself, looks again at everything, and ends the old one', async () => {
  await listen(line.url, SLOW);
  await expect.poll(() => count(EVERYTHING)).toBe(1);
  line.goSilent();
  await expect.poll(() => count(EVERYTHING)).toBe(2);
  await direct.query('select pg_notify($1, $2)', [CHANNEL, 'over the new line']);
  await expect.poll(() => count('over the new line')).toBe(1);
  await expect.poll(() => line.open).toBe(1);
});

it('a listener that meets a dead line at its start does not hold the start up, and listens later', async () => {
  line.isSilentForNew = true;
  await listen(line.url, {});
  expect(heard).toEqual([]);
  line.isSilentForNew = false;
  await expect.poll(() => count(EVERYTHING)).toBe(1);
  await expect.poll(() => line.open).toBe(1);
});

it('a quiet line that is alive is kept', async () => {
  await listen(line.url);
  const pids = async () => {
    const { rows } = await direct.query<{ pid: number; n: string }>(
      `select pid, query_start::text as n from pg_stat_activity
        where application_name = 'aizuchi-listen' and datname = current_database()`,
    );
    return rows;
  };
  const [first] = await pids();
  // Two questions later it is the same connection.
  const seen = new Set([first?.n]);
  await expect
    .poll(async () => {
      for (const { n } of await pids()) seen.add(n);
      return seen.size;
    })
    .toBeGreaterThanOrEqual(3);
  expect((await pids()).map(({ pid }) => pid)).toEqual([first?.pid]);
  expect(count(EVERYTHING)).toBe(1);
});

it('a stop does not wait for a dead line', async () => {
  await listen(line.url, SLOW);
  const notifier = notifierOver(line.url, SLOW);
  notifier.notify(['before']);
  await expect.poll(() => count('before')).toBeGreaterThan(0);
  line.goSilent();
  await Promise.all(stops.splice(0).map((stop) => stop()));
  await expect.poll(() => line.open).toBe(0);
});

it('a change whose hint was lost is found by the end of the log, one that was told is not told again', async () => {
  const listening = async () => {
    const { rows } = await direct.query<{ pid: number }>(
      "select pid from pg_stat_activity where datname = current_database() and application_name = 'aizuchi-listen'",
    );
    return rows;
  };
  // That of a test before this one may be ending.
  await expect.poll(listening).toEqual([]);
  await listen(database.url);
  await expect.poll(() => count(EVERYTHING)).toBe(1);
  const rows = await listening();
  expect(rows).toHaveLength(1);
  const append = () => direct.query(`insert into change_log (kind, ref) values ('coordinators', '{}')`);
  /** The line has asked where the log ends, twice: what it compares with is known. */
  const probed = async () => {
    const asked = () =>
      direct
        .query('select query_start from pg_stat_activity where pid = $1', [rows[0]?.pid])
        .then((result) => String(result.rows[0]?.query_start.getTime()));
    for (let times = 0; times < 2; times += 1) {
      const before = await asked();
      await expect.poll(asked).not.toBe(before);
    }
  };
  await probed();
  // The process that wrote it died before it could tell.
  await append();
  await expect.poll(() => count(EVERYTHING)).toBe(2);
  await direct.query('begin');
  await append();
  await direct.query('select pg_notify($1, $2)', [CHANNEL, 'l:,told']);
  await direct.query('commit');
  await expect.poll(() => count('told')).toBe(1);
  await probed();
  expect(count(EVERYTHING)).toBe(2);
});
