import { setTimeout as sleep } from 'node:timers/promises';
import { type Attack, must, mustAll } from '../attack.ts';
import { type Answer, ask } from '../support/ask.ts';
import { callTool } from '../support/call-tool.ts';
import { countBy, flood, measureWhile, seconds } from '../support/timing.ts';
import { chatOf, type World } from '../world.ts';

const ANSWERED_WITHIN_MS = 5_000;
const GUESSED_FOR_MS = 10_000;

const lockedOut: Attack = {
  row: 4,
  name: '30 connections with wrong passkeys for an owner',
  limitMs: 55_000,
  async run(world) {
    const person = await world.makePerson('owner');
    const from = world.address(4);
    const before = await world.signIn(person.id, person.passkey, from);
    const statuses: number[] = [];
    let isOver = false;
    const attackers = flood(30, 30_000, async () => {
      if (isOver) return;
      statuses.push((await login(world, person.id, 'a wrong passkey', from)).status);
    });
    // Time for the failures to accumulate.
    await sleep(3_000);
    const took: number[] = [];
    const right =
      (how: string, headers = {}) =>
      async () => {
        for (let n = 0; n < 3; n += 1) {
          const answer = await login(world, person.id, person.passkey, from, { headers });
          took.push(answer.tookMs);
          must(answer.status === 200, `the right passkey ${how} was answered ${answer.status}`);
          must(answer.tookMs < ANSWERED_WITHIN_MS, `the right passkey ${how} took ${seconds(answer.tookMs)}`);
        }
      };
    try {
      await mustAll({
        'same address': right('from the same address'),
        'known browser': right('of a browser that had signed in', { cookie: before.cookie }),
      });
    } finally {
      isOver = true;
      void attackers.catch(() => undefined);
    }
    const worst = seconds(Math.max(...took));
    return `right passkeys answered 200, the slowest after ${worst}; the wrong ones: ${countBy(statuses)}`;
  },
};

const throughMcp: Attack = {
  row: 4,
  name: 'wrong passkeys over MCP delay nobody at REST',
  limitMs: 55_000,
  async run(world) {
    const person = await world.makePerson('owner');
    const from = world.address(5);
    const { id: projectId } = await world.makeProject();
    const args = { agent_id: person.id, passkey: 'a wrong passkey', project_id: projectId };
    let isOver = false;
    const guesses = flood(10, GUESSED_FOR_MS * 2, async () => {
      if (!isOver) await callTool(world.mcp, 'authenticate', args, { from });
    });
    // Until the delay of these attempts would be longer than allowed.
    await sleep(GUESSED_FOR_MS);
    const answer = await login(world, person.id, person.passkey, from);
    isOver = true;
    void guesses;
    must(answer.status === 200, `the right passkey at REST was answered ${answer.status}`);
    must(answer.tookMs < ANSWERED_WITHIN_MS, `the right passkey at REST took ${seconds(answer.tookMs)}`);
    return `the right passkey at REST is answered after ${seconds(answer.tookMs)}`;
  },
};

const madeUp: Attack = {
  row: 5,
  name: '200 connections with made-up accounts',
  limitMs: 58_000,
  async run(world) {
    const project = await world.makeProject();
    const { id: agentId } = await world.makeAgent(project.id, {
      provider: 'command',
      command: { file: '/bin/true', args: [] },
    });
    const person = await world.makePerson('member', [project.id]);
    const from = world.address(6);
    const statuses: number[] = [];
    const attack = flood(200, 8_000, async (client) => {
      const answer = await login(world, `nobody-${client}-${world.word()}`.toLowerCase(), 'guess', from, {
        timeoutMs: 8_000,
      });
      statuses.push(answer.status);
    });
    const membership = chatOf({ projectId: project.id, agentId });
    const [page, list, posted, signIn] = await Promise.all([
      measureWhile(attack, () => ask(world.web, '/', {})),
      measureWhile(attack, () => person.caller.ask('GET', '/projects')),
      measureWhile(
        attack,
        () => person.caller.ask('POST', `${membership}/messages`, { content: 'Hello' }),
        200,
      ),
      measureWhile(attack, () => login(world, person.id, person.passkey, world.address(7)), 1_000),
    ]);
    const said = `p99 of the page ${seconds(page.p99)}, of a list ${seconds(list.p99)}, of a post ${seconds(posted.p99)}, a right sign-in at worst ${seconds(signIn.max)}; the wrong ones: ${countBy(statuses)}`;
    const refused = [page, list, posted, signIn].flatMap((measured) => measured.refused);
    must(refused.length === 0, `right calls were refused: ${countBy(refused)}; ${said}`);
    must(Math.max(page.p99, list.p99, posted.p99) < 1_500 && signIn.max < ANSWERED_WITHIN_MS, said);
    return said;
  },
};

function login(
  world: World,
  agentId: string,
  passkey: string,
  from?: string,
  more: { headers?: Record<string, string>; timeoutMs?: number } = {},
): Promise<Answer> {
  return ask(world.web, '/api/auth/login', { body: { agentId, passkey }, from, ...more });
}

export const signIn: readonly Attack[] = [lockedOut, throughMcp, madeUp];
