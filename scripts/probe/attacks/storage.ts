import { messagePageSchema } from '@aizuchi/shared/contract/chat';
import { z } from 'zod';
import { type Attack, must } from '../attack.ts';
import { ask, codeOf } from '../support/ask.ts';
import { callTool } from '../support/call-tool.ts';
import { countBy, flood, measureWhile, seconds } from '../support/timing.ts';
import { chatOf, type World } from '../world.ts';

/** The longest message of an agent: 100,000 code points, 400 kB. */
const CONTENT = '𠮷'.repeat(100_000);
const MESSAGES = 60;
const MEBIBYTE = 1024 * 1024;
/** Of rest-api, by ten readers of large pages. */
const MOST_GROWTH_MB = 400;

const messages: Attack = {
  row: 9,
  name: `one agent stores ${MESSAGES} × 400 kB, ten readers at once`,
  limitMs: 59_000,
  async run(world) {
    const { id: projectId, agent, token } = await world.makeSession();
    const other = await world.makeProject();
    const person = await world.makePerson('viewer', [projectId]);
    const bystander = await world.makePerson('member', [other.id]);
    const { stored, code } = await store(world, token);
    const sizes: number[] = [];
    const statuses: number[] = [];
    const reading = flood(10, 4_000, async () => {
      const path = `/api${chatOf({ projectId, agentId: agent.id })}/messages?limit=200`;
      const answer = await ask(world.web, path, { token: person.caller.token, from: world.address(9) });
      statuses.push(answer.status);
      if (answer.status !== 200) return;
      messagePageSchema.parse(JSON.parse(answer.text));
      sizes.push(Buffer.byteLength(answer.text));
    });
    const [resident, calls] = await Promise.all([
      residentWhile(world, reading),
      measureWhile(reading, () => bystander.caller.ask('GET', '/projects')),
    ]);
    const largest = Math.max(0, ...sizes) / MEBIBYTE;
    const refused = code === undefined ? 'none refused' : `then ${code}`;
    const said = `${stored} stored, ${refused}; the largest page ${largest.toFixed(1)} MiB, rest-api ${resident.said}, others' p99 ${seconds(calls.p99)}, pages: ${countBy(statuses)}`;
    must(stored > 0 && sizes.length > 0, `nothing was stored or answered: ${said}`);
    must(largest <= 2, said);
    must(resident.grownMb < MOST_GROWTH_MB, said);
    must(
      calls.p99 < 2_000 && calls.refused.length === 0,
      `${said}; others refused: ${countBy(calls.refused)}`,
    );
    return said;
  },
};

const TASKS = 200;
/** The longest description of a task: 200 kB. */
const DESCRIPTION = '𠮷'.repeat(50_000);

const tasks: Attack = {
  row: 9,
  name: `one member makes ${TASKS} tasks of 200 kB, ten readers at once`,
  limitMs: 59_000,
  async run(world) {
    const { id: projectId } = await world.makeProject();
    const { caller } = await world.makePerson('member', [projectId]);
    let code: string | undefined;
    let begun = 0;
    let stored = 0;
    await flood(4, 30_000, async () => {
      begun += 1;
      if (begun > TASKS || code !== undefined) return false;
      const body = { title: 'A task', description: DESCRIPTION };
      const answer = await caller.ask('POST', `/projects/${projectId}/tasks`, body);
      if (answer.status === 201) stored += 1;
      else code = codeOf(answer) ?? String(answer.status);
      return true;
    });
    const pages: number[] = [];
    const reading = flood(10, 3_000, async () => {
      const { text } = await world.owner.ask('GET', `/projects/${projectId}/tasks?limit=200`);
      pages.push(Buffer.byteLength(text) / MEBIBYTE);
    });
    const [resident, calls] = await Promise.all([
      residentWhile(world, reading),
      measureWhile(reading, () => world.owner.ask('GET', '/projects')),
    ]);
    const largest = Math.max(0, ...pages);
    const refused = code === undefined ? 'none refused' : `then ${code}`;
    const said = `${stored} tasks, ${refused}; the largest page ${largest.toFixed(1)} MiB, rest-api ${resident.said}, others' p99 ${seconds(calls.p99)}`;
    must(stored > 0 && pages.length > 0, `nothing was stored or answered: ${said}`);
    must(largest <= 2 && calls.p99 < 2_000, said);
    must(resident.grownMb < MOST_GROWTH_MB, said);
    return said;
  },
};

async function store(world: World, token: string): Promise<{ stored: number; code: string | undefined }> {
  let stored = 0;
  let code: string | undefined;
  let begun = 0;
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      while (begun < MESSAGES && code === undefined) {
        begun += 1;
        const args = { target_agent_id: 'user', content: CONTENT };
        const answer = await callTool(world.mcp, 'send_message', args, { token });
        if (answer.isError) code = answer.code ?? String(answer.status);
        else stored += z.object({ success: z.literal(true) }).parse(answer.result).success ? 1 : 0;
      }
    }),
  );
  return { stored, code };
}

/**
 * How far the resident memory of rest-api grows meanwhile. Not how large it is: scrypt and its arenas have left some 150
 * MB more after the attacks on sign-ins.
 */
async function residentWhile(
  world: World,
  goesOn: Promise<unknown>,
): Promise<{ grownMb: number; said: string }> {
  const { host } = world;
  if (!host || process.platform !== 'linux') return { grownMb: 0, said: 'of an unknown size' };
  const pid = await host.pidOf('rest-api');
  const before = await host.residentBytes(pid);
  let most = before;
  const look = async () => {
    const startedAt = performance.now();
    most = Math.max(most, await host.residentBytes(pid));
    return { status: 200, tookMs: performance.now() - startedAt };
  };
  await measureWhile(goesOn, look, 100);
  const inMb = (bytes: number) => Math.round(bytes / MEBIBYTE);
  return { grownMb: inMb(most - before), said: `at ${inMb(most)} MB (${inMb(before)} before)` };
}

export const storage: readonly Attack[] = [messages, tasks];
