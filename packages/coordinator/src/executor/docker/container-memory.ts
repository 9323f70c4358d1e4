import { z } from 'zod';
import type { DockerEngine } from './docker-engine.ts';

/** A reading that takes longer is left out. */
const TIMEOUT_MS = 2_000;
const MIB = 1024 * 1024;

const statsSchema = z.object({
  memory_stats: z.object({
    usage: z.number().nonnegative(),
    stats: z
      .object({ inactive_file: z.number().optional(), total_inactive_file: z.number().optional() })
      .optional(),
  }),
});

/**
 * What a container needs now, in MiB, without the files that the kernel keeps for it and would drop, as `docker stats`
 * counts. Undefined when the engine does not say it: it does not answer, or the container has ended.
 */
export async function containerMemory(engine: DockerEngine, name: string): Promise<number | undefined> {
  const path = `/containers/${name}/stats`;
  const query = { stream: 'false', 'one-shot': 'true' };
  const answer = await engine
    .call({ method: 'GET', path, query, timeoutMs: TIMEOUT_MS })
    .catch(() => undefined);
  const { data } = statsSchema.safeParse(answer);
  if (!data) return undefined;
  const { usage, stats } = data.memory_stats;
  // The names of control groups version 1 and 2.
  const files = stats?.total_inactive_file ?? stats?.inactive_file ?? 0;
  return Math.ceil(Math.max(usage - files, 0) / MIB);
}
