import fc from 'fast-check';
import type { Outcome } from '../report.ts';
import { ask } from '../support/ask.ts';
import { askMcp } from '../support/call-tool.ts';
import type { World } from '../world.ts';
import { type Cast, makeCast } from './cast.ts';
import { compare, condition } from './condition.ts';
import { judge } from './judge.ts';
import { Tally } from './tally.ts';
import { type Call, restTemplates, toolTemplates } from './templates.ts';

export interface FuzzOptions {
  readonly calls: number;
  readonly seed: number;
  readonly say: (line: string) => void;
}

const AT_ONCE = 20;
const BATCH = 200;

/** Makes calls from the product's own schemas, as every kind of caller. */
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

/** A body that is a text is sent unchanged, with content type JSON. */
function typeOf({ body }: { body?: unknown }): Record<string, string> {
  return typeof body === 'string' ? { 'content-type': 'application/json' } : {};
}
