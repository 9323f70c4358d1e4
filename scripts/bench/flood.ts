/**
 * What other users notice while strangers try to sign in (200 connections with made-up accounts, 30 with wrong
 * passkeys of `owner`), and while 400 wrong bearers a second arrive; first without either, for comparison. All calls
 * come from one address.
 * `npm run bench -- flood [--seconds 20]`
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type BenchWorld, openBenchWorld } from './support/bench-world.ts';
import { cpuSecondsOf } from './support/cpu-seconds.ts';
import { closeSockets, HeldAgent, postMessage } from './support/held-agent.ts';
import { percentiles, row } from './support/statistics.ts';

const { values: options } = parseArgs({ options: { seconds: { type: 'string', default: '20' } } });
const seconds = Number(options.seconds);
/** The default of the product. */
const RATE_LIMIT_PER_MINUTE = 6_000;
const PROMISED_MS = 5_000;
let slowest = 0;

const world = await openBenchWorld('rest-api,mcp-server', RATE_LIMIT_PER_MINUTE);
try {
  const agents = (await world.warmAgents(10, 10)).map((agent) => new HeldAgent(agent, world.mcpUrl));
  await Promise.all(agents.map((agent) => agent.hold()));
  const device = await deviceCookie(world);
  await measure('warm-up', 5);
  await measure('without a flood', seconds);
  await underFlood('sign-in', 'while 230 clients try passkeys');
  await underFlood('bearers', 'while 400 wrong bearers a second come in');
  for (const agent of agents) agent.stop();
  console.log(`slowest right sign-in ${slowest.toFixed(0)} ms (at most ${PROMISED_MS})`);

  async function underFlood(kind: string, title: string): Promise<void> {
    const env = { ...process.env, FLOOD: kind, WEB_URL: world.webUrl, MCP_URL: world.mcpUrl };
    const flood = fork(new URL('support/flood-clients.ts', import.meta.url), { env });
    let answers: unknown;
    flood.on('message', (message) => {
      answers = message;
    });
    await once(flood, 'message');
    await sleep(3_000);
    await measure(title, seconds);
    console.log(`their answers: ${JSON.stringify(answers)}`);
    flood.disconnect();
    await once(flood, 'exit');
    // Time for the work that the flood left behind.
    await sleep(2_000);
  }

  async function measure(title: string, forSeconds: number): Promise<void> {
    const until = performance.now() + forSeconds * 1_000;
    const again = async (spacingMs: number, once: (count: number) => Promise<number>) => {
      const samples: number[] = [];
      for (let count = 0; performance.now() < until; count += 1) {
        samples.push(await once(count));
        await sleep(spacingMs);
      }
      return percentiles(samples);
    };
    const posted: number[] = [];
    const before = await cpuSeconds(world);
    const startedAt = performance.now();
    const [page, delivered, stranger, known] = await Promise.all([
      again(50, () => timed(() => getPage(world))),
      again(50, async (count) => {
        const agent = agents[count % agents.length];
        if (!agent) throw new Error('no agents');
        const startedAt = performance.now();
        const returned = agent.returned();
        posted.push(await timed(() => postMessage(world, agent.agent)));
        return (await returned) - startedAt;
      }),
      again(500, () => timed(() => signIn(world))),
      again(500, () => timed(() => signIn(world, device))),
    ]);
    if (title === 'warm-up') return;
    console.log(`--- ${title}`);
    console.log(row('GET /', page));
    console.log(row('POST answered', percentiles(posted)));
    console.log(row('POST → held get_next_action returned', delivered));
    console.log(row('right sign-in, browser known', known));
    console.log(row('right sign-in, a stranger', stranger));
    const [rest = 0, mcp = 0] = (await cpuSeconds(world)).map(
      (used, index) => (100_000 * (used - (before[index] ?? 0))) / (performance.now() - startedAt),
    );
    console.log(`of a core: rest-api ${rest.toFixed(0)} %, mcp-server ${mcp.toFixed(0)} %`);
    slowest = Math.max(slowest, stranger.max, known.max);
  }
} finally {
  closeSockets();
  await world.close();
}

function cpuSeconds(bench: BenchWorld): Promise<number[]> {
  return Promise.all([bench.webUrl, bench.mcpUrl.replace(/\/mcp$/, '')].map(cpuSecondsOf));
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

async function getPage(bench: BenchWorld): Promise<void> {
  const response = await fetch(`${bench.webUrl}/`);
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`the page answered ${response.status}`);
}

/** Signs in as a browser if there is a cookie, otherwise as a program. */
async function signIn(bench: BenchWorld, cookie?: string): Promise<Response> {
  const passkey = bench.product.environment.AIZUCHI_OWNER_PASSKEY ?? '';
  const response = await fetch(`${bench.webUrl}/api/auth/login`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(cookie !== undefined && { cookie, origin: bench.webUrl }),
    },
    body: JSON.stringify({ agentId: 'owner', passkey }),
  });
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`a right sign-in answered ${response.status}`);
  return response;
}

async function deviceCookie(bench: BenchWorld): Promise<string> {
  const cookies = (await signIn(bench, '')).headers.getSetCookie();
  const [cookie = ''] = cookies.find((one) => one.startsWith('aizuchi_device'))?.split(';') ?? [];
  return cookie;
}
