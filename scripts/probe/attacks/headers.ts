import { type Attack, must, mustAll } from '../attack.ts';
import { hostOf, type RawAnswer, requestOf, sendRaw } from '../support/raw.ts';
import { countBy } from '../support/timing.ts';
import type { World } from '../world.ts';

/** The address of each service, by name. */
function servicesOf(world: World): Record<string, string> {
  return {
    rest: world.web,
    mcp: new URL(world.mcp).origin,
    ...(world.coordinator !== undefined && { coordinator: world.coordinator }),
    ...(world.memory !== undefined && { memory: world.memory }),
  };
}

async function atAll(world: World, make: (base: string) => string): Promise<Record<string, RawAnswer>> {
  const services = Object.entries(servicesOf(world));
  const answers = await Promise.all(
    services.map(async ([name, base]) => [name, await sendRaw(base, make(base), world.address(17))] as const),
  );
  return Object.fromEntries(answers);
}

function mustAnswer(answers: Record<string, RawAnswer>, isRight: (status: number) => boolean): void {
  const wrong = Object.entries(answers).filter(([, { status }]) => !isRight(status));
  must(wrong.length === 0, wrong.map(([name, { status }]) => `${name} answered ${status}`).join(', '));
}

const isRefusal = (status: number) => status >= 400 && status < 500;

const metrics: Attack = {
  row: 17,
  name: '/metrics for whom a proxy brings from elsewhere',
  limitMs: 30_000,
  pace: 'quiet',
  async run(world) {
    const forwarded = [
      'X-Forwarded-For: 203.0.113.9',
      'X-Forwarded-For: 127.0.0.1, 203.0.113.9',
      'Forwarded: for=203.0.113.9',
      'Forwarded: for="[2001:db8::1]"',
    ];
    const seen: number[] = [];
    const tries = forwarded.map((header) => [
      header,
      async () => {
        const line = 'GET /metrics HTTP/1.1';
        const answers = await atAll(world, (base) => requestOf(line, [`Host: ${hostOf(base)}`, header]));
        seen.push(...Object.values(answers).map(({ status }) => status));
        mustAnswer(answers, isRefusal);
        const statuses = new Set(Object.values(answers).map(({ status }) => status));
        must(statuses.size === 1, `the services do not answer alike: ${[...statuses].join(', ')}`);
      },
    ]);
    await mustAll(Object.fromEntries(tries));
    return `${forwarded.length} headers × ${Object.keys(servicesOf(world)).length} services: ${countBy(seen)}`;
  },
};

const hosts: Attack = {
  row: 17,
  name: 'two Hosts, a foreign Host, none, another one in the target',
  limitMs: 30_000,
  pace: 'quiet',
  async run(world) {
    const paths = ['/healthz', '/metrics'];
    const tries: Record<string, () => Promise<void>> = {};
    for (const path of paths) {
      const line = `GET ${path} HTTP/1.1`;
      const refused =
        (make: (base: string) => string, isRight = isRefusal) =>
        async () =>
          mustAnswer(await atAll(world, make), isRight);
      tries[`two Hosts at ${path}`] = refused(
        (base) => requestOf(line, [`Host: ${hostOf(base)}`, 'Host: example.com']),
        (status) => status === 400,
      );
      tries[`the same Host twice at ${path}`] = refused(
        (base) => requestOf(line, [`Host: ${hostOf(base)}`, `Host: ${hostOf(base)}`]),
        (status) => status === 400,
      );
      tries[`a foreign Host at ${path}`] = refused(() => requestOf(line, ['Host: example.com']));
      tries[`no Host at ${path}`] = refused(() => requestOf(line, []));
      tries[`an empty Host at ${path}`] = refused(() => requestOf(line, ['Host:']));
      tries[`a foreign target at ${path}`] = refused((base) =>
        requestOf(`GET http://example.com${path} HTTP/1.1`, [`Host: ${hostOf(base)}`]),
      );
    }
    tries['two lengths'] = async () => {
      const body = ['Content-Length: 2', 'Content-Length: 5', 'Content-Type: application/json'];
      const make = (base: string) => requestOf('POST /mcp HTTP/1.1', [`Host: ${hostOf(base)}`, ...body]);
      mustAnswer(await atAll(world, make), isRefusal);
    };
    tries['a length and chunks'] = async () => {
      const body = ['Content-Length: 2', 'Transfer-Encoding: chunked', 'Content-Type: application/json'];
      const make = (base: string) => requestOf('POST /mcp HTTP/1.1', [`Host: ${hostOf(base)}`, ...body]);
      mustAnswer(await atAll(world, make), isRefusal);
    };
    await mustAll(tries);
    return `${Object.keys(tries).length} requests × ${Object.keys(servicesOf(world)).length} services refused`;
  },
};

export const headers: readonly Attack[] = [metrics, hosts];
