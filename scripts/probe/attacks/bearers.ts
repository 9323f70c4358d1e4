import { type Attack, must, mustAll } from '../attack.ts';
import { ask } from '../support/ask.ts';
import { askMcp, callTool } from '../support/call-tool.ts';
import { countBy, flood, type Measured, measureWhile, seconds } from '../support/timing.ts';
import type { World } from '../world.ts';

/** 400 a second for three seconds, as far as this machine can. */
const CLIENTS = 40;
const CALLS = 1_200;
const LASTS_MS = 15_000;

const wrongBearers: Attack = {
  row: 12,
  name: 'wrong bearers, 400 a second, at REST and MCP',
  limitMs: 58_000,
  async run(world) {
    const { token } = await world.makeSession();
    const said: string[] = [];
    await mustAll({
      REST: async () => {
        const from = world.address(12);
        const wrong = async () => {
          const answer = await ask(world.web, '/api/projects', { token: `wrong-${world.word()}`, from });
          return String(answer.status);
        };
        said.push(await floodWith(wrong, () => world.owner.ask('GET', '/projects')));
      },
      MCP: async () => {
        const right = async () => {
          const answer = await callTool(world.mcp, 'list_tasks', {}, { token });
          return { tookMs: answer.tookMs, status: answer.isError ? 599 : answer.status };
        };
        said.push(await floodWith(() => wrongTool(world), right));
      },
    });
    return `REST ${said[0]}; MCP ${said[1]}`;
  },
};

/** More than the SDK accepts in one request, and more than a server should. */
const BATCH = 100;
const SMALL_BATCH = 20;

const batches: Attack = {
  row: 12,
  name: `${BATCH} calls in one request, by nobody`,
  limitMs: 40_000,
  async run(world) {
    const from = world.address(13);
    const said: string[] = [];
    await mustAll({
      'guesses of a session token': async () => {
        let refused = 0;
        let guesses = 0;
        let size = BATCH;
        while (guesses < 12 * BATCH && refused === 0) {
          const calls = Array.from({ length: size }, (_, id) => guess(id, `${id}-${world.word()}`));
          const { text, status } = await batch(world, calls, from);
          if (status === 400 && size === BATCH) {
            // Too many for one request: none of them was executed. In a smaller batch each call must still count.
            said.push(`400 for ${BATCH} at once`);
            size = SMALL_BATCH;
            continue;
          }
          guesses += size;
          refused += status === 429 ? size : text.split('rate_limited').length - 1;
        }
        must(refused > 0, `${guesses} guesses, ${size} in a request, none answered 429`);
        said.push(`429 after ${guesses} guesses`);
      },
      'lists of tools': async () => {
        const calls = Array.from({ length: BATCH }, (_, id) => ({
          jsonrpc: '2.0',
          id,
          method: 'tools/list',
        }));
        const { text } = await batch(world, calls, world.address(15));
        const size = Buffer.byteLength(text) / 2 ** 20;
        const asked = Buffer.byteLength(JSON.stringify(calls)) / 1024;
        must(size < 1, `${asked.toFixed(0)} kB asked, ${size.toFixed(1)} MiB answered to nobody`);
        said.push(`lists of tools answered with ${size.toFixed(1)} MiB`);
      },
    });
    return said.join('; ');
  },
};

function guess(id: number, session_token: string): object {
  return {
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'list_tasks', arguments: { session_token } },
  };
}

function batch(world: World, body: readonly object[], from: string | undefined) {
  const { origin, pathname } = new URL(world.mcp);
  return ask(origin, pathname, { body, from, headers: { accept: 'application/json, text/event-stream' } });
}

/** A call that the tool refuses counts like one that HTTP refuses. */
async function wrongTool(world: World): Promise<string> {
  const params = { name: 'list_tasks', arguments: {} };
  const question = { token: `wrong-${world.word()}`, from: world.address(12) };
  const { status, text } = await askMcp(world.mcp, 'tools/call', params, question);
  return text.includes('rate_limited') ? '429' : text.includes('unauthenticated') ? '401' : String(status);
}

async function floodWith(
  wrong: () => Promise<string>,
  right: () => Promise<{ status: number; tookMs: number }>,
): Promise<string> {
  const statuses: string[] = [];
  let left = CALLS;
  const attack = flood(CLIENTS, LASTS_MS, async () => {
    left -= 1;
    statuses.push(await wrong());
    return left > 0;
  });
  const measured: Measured = await measureWhile(attack, right);
  await attack;
  const said = `${statuses.length} wrong ones (${countBy(statuses)}), right callers' p99 ${seconds(measured.p99)}`;
  must(measured.refused.length === 0, `right callers were refused (${countBy(measured.refused)}): ${said}`);
  must(statuses.includes('429'), `never 429: ${said}`);
  must(measured.p99 < 1_000, said);
  return said;
}

export const bearers: readonly Attack[] = [wrongBearers, batches];
