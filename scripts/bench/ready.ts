/**
 * Panel opened → 「送信」 enabled, cold start of the built-in agent each time. Floor: spawning `node -e 0`.
 * `npm run bench -- ready [--samples 15]`
 */
import { execFile } from 'node:child_process';
import { parseArgs, promisify } from 'node:util';
import { z } from 'zod';
import { openBenchPage } from './support/bench-page.ts';
import { percentiles, row } from './support/statistics.ts';

const { values: options } = parseArgs({ options: { samples: { type: 'string', default: '15' } } });
const run = promisify(execFile);
const bench = await openBenchPage();
const anything = z.unknown();
try {
  const { page, owner } = bench;
  const chat = '/projects/prj_welcome/agents/agt_welcome_guide/chat';
  const sessions = z.object({ agentSessions: z.record(z.string(), z.object({ chatStatus: z.string() })) });
  const samples: number[] = [];
  const floors: number[] = [];
  for (let index = -2; index < Number(options.samples); index += 1) {
    await page.goto('/projects/prj_welcome');
    const avatar = page.getByTestId('agent-avatar-agt_welcome_guide');
    await avatar.waitFor();
    const floorAt = performance.now();
    await run(process.execPath, ['-e', '0']);
    const floorMs = performance.now() - floorAt;
    const startedAt = performance.now();
    await avatar.click();
    await page.getByTestId('chat-send-button').filter({ hasText: '送信' }).waitFor({ timeout: 30_000 });
    if (index >= 0) {
      samples.push(performance.now() - startedAt);
      floors.push(floorMs);
    }
    await page.goto('about:blank');
    await owner.call(anything, 'POST', `${chat}/end`, { force: true });
    for (let status = ''; !['none', 'failed'].includes(status); ) {
      const body = await owner.call(sessions, 'GET', '/projects/prj_welcome/agent-sessions');
      status = body.agentSessions.agt_welcome_guide?.chatStatus ?? '';
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  const floor = percentiles(floors);
  const result = percentiles(samples);
  console.log(row('floor: node -e 0', floor));
  console.log(row('panel opened → 送信', result));
  console.log(
    `p95 ${result.p95.toFixed(0)} ms (at most 800), ${(result.p50 / floor.p50).toFixed(1)} × floor at p50 (aim 2)`,
  );
} finally {
  await bench.close();
}
