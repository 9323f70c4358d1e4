import { afterAll, beforeAll, expect, test } from 'vitest';
import { McpWorld, type RunningServer } from '../src/testing/mcp-world.ts';

let world: McpWorld;
let server: RunningServer;
beforeAll(async () => {
  world = await McpWorld.create();
  server = await world.startServer();
});
afterAll(() => world.close());

test('it is ready on the schema of its build, and not on a newer or an unknown one', async () => {
  const { pool, db } = world.services.database;
  const readiness = async () => {
    const response = await fetch(`${server.url}/readyz`);
    return [response.status, await response.text()];
  };
  expect(await readiness()).toEqual([200, '{"status":"ready"}']);
  await pool.query(`insert into kysely_migration (name, timestamp) values ('20990101000001_newer', '')`);
  expect(await readiness()).toEqual([503, expect.stringContaining('newer than this process')]);
  await db.schema.dropTable('kysely_migration').execute();
  expect(await readiness()).toEqual([503, expect.stringContaining('does not answer as it should')]);
});
