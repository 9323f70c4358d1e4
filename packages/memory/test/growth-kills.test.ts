import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { growAgent } from '@aizuchi/shared/core/memory/growth/grow-agent';
import { ServiceProcesses } from '@aizuchi/shared/testing/service-process';
import { ServiceWorld } from '@aizuchi/shared/testing/service-world';
import { LONG_TIMEOUT_MS } from '@aizuchi/shared/testing/timeouts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { growingTexts } from '../../shared/test/memory/growth/growing-texts.ts';
import { forgetGrowth, rowsOf, TIME_ZONE } from '../../shared/test/memory/growth/growth-support.ts';
import { chatEvents, secondsLater } from '../../shared/test/memory/stored-memory.ts';

const MAIN = fileURLToPath(new URL('../../../dist/memory.js', import.meta.url));
/** `KILLS=50` is the long form. */
const KILLS = Number(process.env.KILLS ?? 4);
/** Of two services at once. */
const SERVICES = 2;

let world: ServiceWorld;
let services: ServiceProcesses;
beforeAll(async () => {
  world = await ServiceWorld.create();
  services = new ServiceProcesses(MAIN, {
    AIZUCHI_HOME: world.root,
    DATABASE_URL: world.database.url,
    MEMORY_PORT: '0',
    AIZUCHI_INTERNAL_TOKEN: 'internal-token-of-tests',
    AIZUCHI_TIMEZONE: TIME_ZONE,
  });
});
afterAll(async () => {
  services.killAll();
  await world.close();
});

test('however often two services are killed while a memory grows, it is the same as without', {
  timeout: (10 + KILLS) * LONG_TIMEOUT_MS,
}, async () => {
  const { agentId } = await world.agentInProject();
  const events = growingTexts(40 * (KILLS + 1));
  const told = events.map((event, index) => ({ ...event, createdAt: secondsLater(3_600 * index) }));
  await chatEvents(world, agentId, told);
  const left = async () => {
    const { rows } = await world.database.pool.query<{ left: number }>(
      `select (count(*) filter (where state = 'pending') +
           (select count(*) from memory_summary_scopes where agent_id = $1))::int as left
         from memory_growth where agent_id = $1`,
      [agentId],
    );
    return rows[0]?.left ?? 0;
  };
  for (let round = 0; round < KILLS; round += 1) {
    const running = Array.from({ length: SERVICES }, () => services.run());
    const before = await left();
    // Not always at the same place of a job.
    await expect
      .poll(left, { interval: 3, timeout: LONG_TIMEOUT_MS })
      .toBeLessThan(Math.max(1, before - (round % 7) * 5));
    await Promise.all(
      running.map(async ({ child }) => {
        const exited = once(child, 'exit');
        child.kill('SIGKILL');
        await exited;
      }),
    );
  }
  expect(KILLS < 10 || (await left()) > 0).toBe(true);
  services.run();
  await expect.poll(left, { interval: 50, timeout: (5 + KILLS / 2) * LONG_TIMEOUT_MS }).toBe(0);
  services.killAll();
  const grown = await rowsOf(world.database, agentId);
  await forgetGrowth(world.database, agentId);
  const { signal } = new AbortController();
  await growAgent(
    { database: world.database, logger: world.deps.logger, timeZone: TIME_ZONE },
    agentId,
    signal,
  );
  const again = await rowsOf(world.database, agentId);
  expect(grown.states?.length).toBeGreaterThan(20);
  expect(again).toEqual(grown);
});
