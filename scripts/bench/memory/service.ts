import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MemoryClient } from '@aizuchi/shared/core/memory/memory-client';
import { createLogger } from '@aizuchi/shared/platform/logger';
import { ServiceProcesses } from '@aizuchi/shared/testing/service-process';
import { usageOf } from '../support/process-tree.ts';
import { percentiles, row } from '../support/statistics.ts';
import { LANGUAGES, readConversation } from './conversation.ts';

const MAIN = fileURLToPath(new URL('../../../dist/memory.js', import.meta.url));
const TOKEN = 'internal-token-of-the-bench';
const WARM_UPS = 20;

/** Recalls by the memory service itself, a process of its own: how long they take, and its CPU and memory. */
export async function measureService(
  databaseUrl: string,
  agents: readonly string[],
  samples: number,
): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'aizuchi-bench-'));
  const services = new ServiceProcesses(MAIN, {
    AIZUCHI_HOME: home,
    DATABASE_URL: databaseUrl,
    MEMORY_PORT: '0',
    AIZUCHI_INTERNAL_TOKEN: TOKEN,
  });
  try {
    const service = services.run();
    const url = await service.ready();
    const client = new MemoryClient({ url, token: TOKEN, logger: createLogger('bench', { level: 'warn' }) });
    const questions = LANGUAGES.flatMap((language) => readConversation(language).reported);
    const recall = async (sample: number) => {
      const text = questions[(sample * 7) % questions.length]?.text ?? '';
      const agentId = agents[(sample * 37) % agents.length] ?? '';
      const startedAt = performance.now();
      const { degraded } = await client.recall(
        { agentId, projectId: undefined },
        { text, clientId: 'bench' },
      );
      return { ms: performance.now() - startedAt, isWhole: !degraded.includes('collector_late') };
    };
    const usage = () => usageOf([service.child.pid ?? 0]);
    const begun = await usage();
    for (let sample = 0; sample < WARM_UPS; sample += 1) await recall(sample);
    const before = await usage();
    const results: Awaited<ReturnType<typeof recall>>[] = [];
    for (let sample = 0; sample < samples; sample += 1) results.push(await recall(WARM_UPS + sample));
    const after = await usage();
    console.log(row('  recall by the memory service', percentiles(results.map(({ ms }) => ms))));
    const cpuMs = ((after.cpuSeconds - before.cpuSeconds) * 1_000) / samples;
    const [first, last] = [begun, after].map(({ memoryMb }) => memoryMb.toFixed(0));
    const late = results.filter(({ isWhole }) => !isWhole).length;
    console.log(
      `  the service: ${cpuMs.toFixed(1)} ms of CPU a recall; resident memory ${first} MB at its start, ${last} MB ` +
        `after ${samples + WARM_UPS} recalls; ${late} recalls with a collector that was late`,
    );
  } finally {
    services.killAll();
    await rm(home, { recursive: true, force: true });
  }
}
