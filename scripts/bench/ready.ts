/**
 * Panel opened → 「送信」 enabled, with a cold start of the built-in agent each time. Measured by the clock of the page,
 * because a test driver polls at growing intervals. Each sample begins when the Coordinator has its spare runner again.
 * Floor: spawning `node -e 0`.
 * `npm run bench -- ready [--samples 15] [--spares 1] [--containers 172.17.0.1]`
 * `--containers`: runs live in containers of the engine of AIZUCHI_DOCKER_HOST, and reach the product at this address of
 * the host; the spare is a container too.
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import { z } from 'zod';
import { openBenchPage } from './support/bench-page.ts';
import { percentiles, row } from './support/statistics.ts';

/** Runs in the page: measures from the click on the avatar to the frame in which the send button is enabled. */
const CLICK_AND_WAIT = `(async () => {
  const startedAt = performance.now();
  document.querySelector('[data-testid="agent-avatar-agt_welcome_guide"]').click();
  const isReady = () => document.querySelector('[data-testid="chat-send-button"]')?.textContent === '送信';
  while (!isReady()) await new Promise((resolve) => requestAnimationFrame(resolve));
  return performance.now() - startedAt;
})()`;

const { values: options } = parseArgs({
  options: {
    samples: { type: 'string', default: '60' },
    spares: { type: 'string', default: '1' },
    containers: { type: 'string' },
  },
});
const { spares } = options;
const { AIZUCHI_DOCKER_HOST = '', AIZUCHI_DOCKER_IMAGE = '' } = process.env;
/** Beyond loopback the metrics of the Coordinator are for who presents its token. */
const token = randomBytes(24).toString('hex');
const containers = options.containers !== undefined && {
  AIZUCHI_EXECUTOR: 'docker',
  AIZUCHI_DOCKER_HOST,
  AIZUCHI_DOCKER_IMAGE,
  AIZUCHI_HOST: options.containers,
  AIZUCHI_ALLOWED_HOSTS: options.containers,
};
const run = promisify(execFile);
const services = z.array(z.object({ name: z.string(), url: z.string() }));
const bench = await openBenchPage({
  COORDINATOR_SPARE_RUNNERS: spares,
  MCP_COORDINATOR_TOKEN: token,
  ...containers,
});
const anything = z.unknown();
try {
  const { page, owner } = bench;
  const chat = '/projects/prj_welcome/agents/agt_welcome_guide/chat';
  const sessions = z.object({ agentSessions: z.record(z.string(), z.object({ chatStatus: z.string() })) });
  const running = services.parse(
    JSON.parse(
      await readFile(join(bench.product.environment.AIZUCHI_HOME ?? '', 'run', 'services.json'), 'utf8'),
    ),
  );
  const coordinator = running.find(({ name }) => name === 'coordinator')?.url ?? '';
  const metrics = async () => {
    const response = await fetch(`${coordinator}/metrics`, { headers: { authorization: `Bearer ${token}` } });
    if (!response.ok) throw new Error(`The metrics of the Coordinator: ${response.status}`);
    return await response.text();
  };
  const spareRunners = async () => {
    const wanted = `aizuchi_coordinator_spare_runners ${spares}\n`;
    while (!(await metrics()).includes(wanted)) await delay(100);
    // It counts from its spawn, before it has loaded everything.
    await delay(1_000);
  };
  const samples: number[] = [];
  const floors: number[] = [];
  for (let index = -2; index < Number(options.samples); index += 1) {
    await page.goto('/projects/prj_welcome');
    await page.getByTestId('agent-avatar-agt_welcome_guide').waitFor();
    await page.waitForLoadState('networkidle');
    await spareRunners();
    const floorAt = performance.now();
    await run(process.execPath, ['-e', '0']);
    const floorMs = performance.now() - floorAt;
    const readyMs = await page.evaluate<number>(CLICK_AND_WAIT);
    if (index >= 0) {
      samples.push(readyMs);
      floors.push(floorMs);
    }
    await page.goto('about:blank');
    await owner.call(anything, 'POST', `${chat}/end`, { force: true });
    for (let status = ''; !['none', 'failed'].includes(status); ) {
      const body = await owner.call(sessions, 'GET', '/projects/prj_welcome/agent-sessions');
      status = body.agentSessions.agt_welcome_guide?.chatStatus ?? '';
      await delay(100);
    }
  }
  const floor = percentiles(floors);
  const result = percentiles(samples);
  console.log(row('floor: node -e 0', floor));
  console.log(row('panel opened → 送信', result));
  console.log(
    `p95 ${result.p95.toFixed(0)} ms (at most ${containers ? 500 : 300}), ${(result.p50 / floor.p50).toFixed(1)} × floor at p50 (aim 2)`,
  );
} finally {
  await bench.close();
}
