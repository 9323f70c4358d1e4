import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Database, isDatabaseAway, openDatabase } from '../../src/platform/db/database.ts';
import { createTestDatabase, type TestDatabase } from '../../src/testing/test-database.ts';

/** A Postgres that is there and does not answer (stopped, or cut off): every connection looks alive. */
let isSilent = false;
const held: (() => void)[] = [];
let testDatabase: TestDatabase;
let between: Server;
let database: Database;
/** Without the one between. */
let direct: Database;
const sockets = new Set<Socket>();

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  const target = new URL(testDatabase.url);
  between = createServer((caller) => {
    const server = connect(Number(target.port), target.hostname);
    for (const [one, other] of [
      [caller, server],
      [server, caller],
    ] as const) {
      sockets.add(one);
      // Stopped, it hears nothing either: what is on its way then arrives when it goes on.
      one.on('data', (chunk) => {
        if (isSilent) held.push(() => other.write(chunk));
        else other.write(chunk);
      });
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => between.listen(0, '127.0.0.1', resolve));
  const url = new URL(testDatabase.url);
  url.host = `127.0.0.1:${(between.address() as AddressInfo).port}`;
  database = openDatabase({ url: url.href, maxConnections: 1, transactionTimeoutMs: 2_000 });
  direct = openDatabase({ url: testDatabase.url, maxConnections: 1 });
});

/** What it would have said meanwhile comes now. */
function speakAgain(): void {
  isSilent = false;
  for (const say of held.splice(0)) say();
}

afterAll(async () => {
  await database.close();
  await direct.close();
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => between.close(resolve));
  await testDatabase.drop();
});

it('is told as away, by a statement and by a transaction, and works again when it speaks', async () => {
  await direct.pool.query('create table kept (n int)');
  isSilent = true;
  const statement = database.pool.query('select 1');
  await expect(statement).rejects.toSatisfy(isDatabaseAway);
  speakAgain();
  const halfWay = database.transaction(async ({ db }) => {
    await sql`insert into kept values (1)`.execute(db);
    isSilent = true;
    await sql`insert into kept values (2)`.execute(db);
  });
  await expect(halfWay).rejects.toSatisfy(isDatabaseAway);
  speakAgain();
  // On a connection of its own: the one whose transaction was given up is thrown away, and with it what it did.
  const { rows } = await database.pool.query('select n from kept');
  expect(rows).toEqual([]);
});

it('trap 24: what is acknowledged after a BEGIN was given up is committed, not part of that transaction', async () => {
  await direct.pool.query('create table acknowledged (n int)');
  isSilent = true;
  await expect(database.transaction(async () => undefined)).rejects.toSatisfy(isDatabaseAway);
  speakAgain();
  await database.statement({
    name: 'acknowledge',
    text: 'insert into acknowledged values ($1)',
    values: [1],
  });
  const { rows } = await direct.pool.query('select n from acknowledged');
  expect(rows).toEqual([{ n: 1 }]);
});
