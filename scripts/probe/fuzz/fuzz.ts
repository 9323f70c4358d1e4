import fc from 'fast-check';
import { z } from 'zod';
import type { Outcome } from '../report.ts';
import { ask, jsonOf } from '../support/ask.ts';
import { askMcp } from '../support/call-tool.ts';
import type { World } from '../world.ts';
import { type Cast, makeCast } from './cast.ts';
import { judge } from './judge.ts';
import { type Call, restTemplates, toolTemplates } from './templates.ts';

export interface FuzzOptions {
  readonly calls: number;
  readonly seed: number;
  readonly say: (line: string) => void;
}

const AT_ONCE = 20;
const BATCH = 200;
const MOST_GROWTH = 200 * 1024 * 1024;
const MOST_EXAMPLES = 8;

/** Calls made from the product's own schemas, by everybody who may call. */
export async function fuzz(world: World, options: FuzzOptions): Promise<Outcome> {
  const { say, calls, seed } = options;
  say(`${calls} calls from the schemas; the same ones again: --seed ${seed}`);
  const name = `${calls} calls made from the schemas (seed ${seed})`;
  const tally = new Tally(say);
  let faults: string[];
  try {
    const before = await condition(world);
    await callAll(world, options, tally);
    faults = [...tally.faults(), ...(await compare(world, before))];
  } catch (error) {
    faults = [`could not be tried: ${error instanceof Error ? error.message : error}`, ...tally.faults()];
  }
  for (const line of tally.lines()) say(line);
  const happened = faults.length === 0 ? tally.summary() : faults.join('; ');
  return { row: 20, name, happened, verdict: faults.length === 0 ? 'ok' : 'FAILED' };
}

async function callAll(world: World, { calls, seed }: FuzzOptions, tally: Tally): Promise<void> {
  const cast = await makeCast(world);
  const rest = await restTemplates(world, cast.ids);
  const tools = await toolTemplates(world, cast.ids);
  const made = fc.tuple(fc.oneof(...rest, ...tools), fc.nat());
  for (let done = 0; done < calls; done += BATCH) {
    const batch = fc.sample(made, { numRuns: Math.min(BATCH, calls - done), seed: seed + done });
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let next = batch.pop(); next !== undefined; next = batch.pop())
          await one(world, cast, next, tally);
      }),
    );
    await cast.restore();
    if (done % 2_000 === 0) tally.say(`${done + BATCH} of ${calls} …`);
  }
}

async function one(world: World, cast: Cast, [call, choice]: [Call, number], tally: Tally): Promise<void> {
  const caller = cast.callerOf(call, choice);
  const startedAt = performance.now();
  try {
    const token = caller.token === undefined ? {} : { token: caller.token };
    const answer =
      call.kind === 'rest'
        ? await ask(world.web, call.path, {
            ...token,
            method: call.method,
            body: call.body,
            headers: typeOf(call),
          })
        : await askMcp(world.mcp, 'tools/call', { name: call.operation, arguments: call.args }, token);
    if (call.kind === 'rest') cast.remember(call, answer);
    const { status, text, tookMs } = answer;
    tally.add(
      call,
      caller.name,
      judge(call, { status, text, tookMs, retryAfter: 'retry-after' in answer.headers }),
      text,
    );
  } catch (error) {
    const took = ((performance.now() - startedAt) / 1000).toFixed(1);
    const why = error instanceof Error ? error.message : String(error);
    tally.add(call, caller.name, { status: 'no answer', fault: `no answer after ${took} s (${why})` }, '');
  }
}

/** A body that is a text goes out as it is, and says that it is JSON. */
function typeOf({ body }: { body?: unknown }): Record<string, string> {
  return typeof body === 'string' ? { 'content-type': 'application/json' } : {};
}

class Tally {
  readonly say: (line: string) => void;
  readonly #statuses = new Map<string, number>();
  readonly #faults = new Map<string, number>();
  #examples = 0;

  constructor(say: (line: string) => void) {
    this.say = say;
  }

  add(call: Call, caller: string, { status, fault }: ReturnType<typeof judge>, text: string): void {
    const key = `${call.kind === 'rest' ? 'REST' : 'MCP '} ${status}`;
    this.#statuses.set(key, (this.#statuses.get(key) ?? 0) + 1);
    if (fault === undefined) return;
    const named = `${call.operation} ${fault.replaceAll(/[\d.]+ s/g, 'too long')}`;
    const count = (this.#faults.get(named) ?? 0) + 1;
    this.#faults.set(named, count);
    if (count > 1 || this.#examples >= MOST_EXAMPLES) return;
    this.#examples += 1;
    const { kind: _, operation: __, ...rest } = call;
    this.say(
      `FAULT as ${caller}: ${call.operation} ${JSON.stringify(rest).slice(0, 600)} → ${fault}: ${text.slice(0, 300)}`,
    );
  }

  lines(): string[] {
    return [...this.#statuses]
      .toSorted(([a], [b]) => a.localeCompare(b))
      .map(([status, count]) => `${String(count).padStart(6)}  ${status}`);
  }

  faults(): string[] {
    return [...this.#faults].map(([fault, count]) => `${count} × ${fault}`);
  }

  summary(): string {
    const sum = (pattern: RegExp) =>
      [...this.#statuses].reduce((total, [status, count]) => total + (pattern.test(status) ? count : 0), 0);
    return `REST ${sum(/^REST 2/)} × 2xx, ${sum(/^REST 4/)} × 4xx, ${sum(/^REST 5/)} × 5xx; MCP ${sum(/^MCP {2}200$/)} done, ${sum(/^MCP .* ./) - sum(/^MCP {2}200$/)} refused`;
  }
}

interface Condition {
  readonly logged: number;
  readonly resident: ReadonlyMap<string, { pid: number; bytes: number }>;
}

async function condition({ host }: World): Promise<Condition> {
  if (!host || process.platform !== 'linux') return { logged: 0, resident: new Map() };
  const services = await host.services();
  const sizes = await Promise.all(
    services.map(async ({ pid }) => ({ pid, bytes: await host.residentBytes(pid) })),
  );
  const resident = new Map(services.map(({ name }, n) => [name, sizes[n] ?? { pid: 0, bytes: 0 }]));
  return { logged: (await host.logs()).length, resident };
}

/** What the calls have left behind. */
async function compare(world: World, before: Condition): Promise<string[]> {
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
    else if (was && bytes - was.bytes > MOST_GROWTH)
      faults.push(`${name} grew by ${((bytes - was.bytes) / 2 ** 20).toFixed(0)} MB`);
  }
  const logs = world.host ? (await world.host.logs()).slice(before.logged) : '';
  const wrong = logs
    .split('\n')
    .filter((line) => /"level":"(error|fatal)"|"code":"internal"|internal/.test(line));
  if (wrong.length > 0) faults.push(`${wrong.length} lines in the logs, such as ${wrong[0]?.slice(0, 300)}`);
  return faults;
}
