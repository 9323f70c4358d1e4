import { z } from 'zod';
import { ask, jsonOf } from '../support/ask.ts';
import type { World } from '../world.ts';

const MAX_GROWTH_BYTES = 200 * 1024 * 1024;

interface Condition {
  readonly logged: number;
  readonly resident: ReadonlyMap<string, { pid: number; bytes: number }>;
}

export async function condition({ host }: World): Promise<Condition> {
  if (!host || process.platform !== 'linux') return { logged: 0, resident: new Map() };
  const services = await host.services();
  const sizes = await Promise.all(
    services.map(async ({ pid }) => ({ pid, bytes: await host.residentBytes(pid) })),
  );
  const resident = new Map(services.map(({ name }, n) => [name, sizes[n] ?? { pid: 0, bytes: 0 }]));
  return { logged: (await host.logs()).length, resident };
}

/** What the calls have changed in the product's condition. */
export async function compare(world: World, before: Condition): Promise<string[]> {
  const bases = [
    world.web,
    new URL(world.mcp).origin,
    ...(world.coordinator === undefined ? [] : [world.coordinator]),
  ];
  const faults: string[] = [];
  for (const base of bases) {
    const answer = await ask(base, '/readyz').catch(() => undefined);
    const service = z.looseObject({ service: z.string() }).safeParse(jsonOf(answer ?? { text: '' }))
      .data?.service;
    if (answer?.status !== 200)
      faults.push(`${service ?? base} is not ready afterwards (${answer?.status ?? 'no answer'})`);
  }
  const after = await condition(world);
  for (const [name, { pid, bytes }] of after.resident) {
    const was = before.resident.get(name);
    if (was && was.pid !== pid) faults.push(`${name} was started again`);
    else if (was && bytes - was.bytes > MAX_GROWTH_BYTES)
      faults.push(`${name} grew by ${((bytes - was.bytes) / 2 ** 20).toFixed(0)} MB`);
  }
  const logs = world.host ? (await world.host.logs()).slice(before.logged) : '';
  const wrong = logs
    .split('\n')
    .filter((line) => /"level":"(error|fatal)"|"code":"internal"|internal/.test(line));
  if (wrong.length > 0) faults.push(`${wrong.length} lines in the logs, such as ${wrong[0]?.slice(0, 300)}`);
  return faults;
}
