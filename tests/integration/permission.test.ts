import type { DecideApprovalBody } from '@aizuchi/shared/contract/approval';
import { ReceiptBook } from '@aizuchi/shared/mcp-client/receipt-book';
import { ToolClient } from '@aizuchi/shared/mcp-client/tool-client';
import { checkInvariants } from '@aizuchi/shared/testing/invariants';
import type { WorldAgent } from '@aizuchi/shared/testing/service-world';
import { LONG_TIMEOUT_MS } from '@aizuchi/shared/testing/timeouts';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { AgentLoop } from '../../packages/agent-runner/src/agent-loop.ts';
import type { Turn } from '../../packages/agent-runner/src/driver.ts';
import { ResumeStore } from '../../packages/agent-runner/src/session/resume-store.ts';
import { DONE, INTERRUPTED, ScriptedDriver, text } from '../../packages/agent-runner/test/scripted-driver.ts';
import { McpWorld, type RunningServer } from '../../packages/mcp-server/src/testing/mcp-world.ts';

/* A driver asks for permissions, our runner carries them, a real server keeps them, and a person decides. */

const EVENTUALLY = { interval: 10, timeout: LONG_TIMEOUT_MS };

let world: McpWorld;
let server: RunningServer;
const lives: {
  readonly membership: WorldAgent;
  readonly loop: AgentLoop;
  readonly exit: Promise<unknown>;
}[] = [];

beforeAll(async () => {
  world = await McpWorld.create();
  server = await world.startServer();
});
afterAll(async () => {
  const { chat, owner } = world.services;
  for (const { membership } of lives) await chat.end(owner, { ...membership, force: true });
  // One that went on would ask whoever is given the port of this server next.
  await Promise.all(lives.map(({ exit }) => exit));
  await Promise.all(lives.map(({ loop }) => loop.close()));
  expect(await checkInvariants(world.services.database)).toEqual([]);
  await world.close();
});

/** Asks for all these commands at once, and answers with what came of each. */
const asking = (...commands: string[]) =>
  new ScriptedDriver(async function* (turn: Turn) {
    const decisions = await Promise.all(
      commands.map(async (command) => {
        const summary = `Run ${command}`;
        const { decision, note } = await turn.approve({ tool: 'Bash', summary, input: { command } });
        return [command, decision, note].filter(Boolean).join(' ');
      }),
    );
    if (turn.signal.aborted) {
      yield INTERRUPTED;
      return;
    }
    yield text(decisions.join(', '));
    yield DONE;
  });

/** Asks for the next one when the one before is decided. */
const askingInOrder = (...commands: string[]) =>
  new ScriptedDriver(async function* (turn: Turn) {
    const decisions: string[] = [];
    for (const command of commands) {
      const { decision } = await turn.approve({
        tool: 'Bash',
        summary: `Run ${command}`,
        input: { command },
      });
      decisions.push(`${command} ${decision}`);
    }
    yield text(decisions.join(', '));
    yield DONE;
  });

/** Takes the start that waits and lives, as the process of a run does. */
async function live(membership: WorldAgent, driver: ScriptedDriver) {
  const { coordination } = world.services;
  await world.services.coordinator();
  const start = await coordination.getAgentAction({ ...membership, coordinatorId: 'host-a' });
  if (start.action !== 'start' || start.ticket === null) throw new Error(`no start: ${start.action}`);
  const { runId, ticket: token } = start;
  const process = { coordinatorId: 'host-a', host: 'host-a', bootId: 'boot', pid: 4711, startTicks: 1 };
  await coordination.reportProcessStarted({ runId, ...process });
  const url = server.mcpUrl;
  const loop = new AgentLoop({
    client: new ToolClient({ url, token, name: 'test', version: '1', receipts: new ReceiptBook() }),
    driver,
    agentId: membership.agentId,
    mcp: { url, token },
    resumeStore: new ResumeStore(undefined, { provider: 'test', ...membership }),
    log: () => undefined,
    hide: (text) => text,
    begunSecret: () => 0,
  });
  const exit = loop.run();
  lives.push({ membership, loop, exit });
  return { runId, exit };
}

/** Opens the chat, posts a message and starts the agent. */
async function begin(driver: ScriptedDriver) {
  const { chat, owner } = world.services;
  const membership = await world.services.agentInProject();
  await chat.start(owner, { ...membership, viewerId: 'viewer-1' });
  await chat.post(owner, { ...membership, content: 'Please work' });
  return { membership, ...(await live(membership, driver)) };
}

/**
 * A process dies while a person is asked for push and deploy, and push is allowed before the next process lives. Returns
 * when that has asked for deploy again.
 */
async function dieAndGoOn(next: ScriptedDriver) {
  const { membership, runId, exit } = await begin(asking('push', 'deploy'));
  const ids = await pending(membership, 2);
  await world.services.coordination.reportProcessExit({ runId, exitCode: null, signal: 'SIGKILL' });
  await exit;
  await decide(ids.get('push'), { decision: 'allow_once' });
  world.services.clock.advance(2_000);
  await live(membership, next);
  await expect.poll(() => isOrphan(ids.get('deploy'))).toBe(false);
  return { membership, ids };
}

/** The ids of what people are asked, by command, once there are so many. */
function pending({ projectId }: WorldAgent, count: number): Promise<Map<string, string>> {
  return vi.waitFor(async () => {
    const asked = await world.services.approvals.pendingOf(projectId);
    expect(asked).toHaveLength(count);
    return new Map(asked.map(({ id, summary }) => [summary.replace('Run ', ''), id]));
  }, EVENTUALLY);
}

const decide = (id: string | undefined, body: DecideApprovalBody) =>
  world.services.approvals.decide(world.services.owner, id ?? '', body);

function answer(membership: WorldAgent): Promise<string> {
  return vi.waitFor(async () => {
    const { messages } = await world.services.history.list(world.services.owner, {
      ...membership,
      limit: 50,
    });
    const said = messages.find(({ sender }) => sender === 'agent');
    if (!said) throw new Error('no answer yet');
    return said.content;
  }, EVENTUALLY);
}

test('several at once, each with its own decision, in one turn', async () => {
  const { membership } = await begin(asking('one', 'two', 'three'));
  const ids = await pending(membership, 3);
  await decide(ids.get('three'), { decision: 'deny', note: 'too risky' });
  await decide(ids.get('one'), { decision: 'allow_session' });
  await pending(membership, 1);
  await decide(ids.get('two'), { decision: 'allow_once' });
  expect(await answer(membership)).toBe('one allow_session, two allow_once, three deny too risky');
});

test('equal requests are asked one by one: a permission is used once', async () => {
  const { membership } = await begin(asking('same', 'same'));
  await pending(membership, 2).then(({ size }) => expect(size, 'both have the same words').toBe(1));
  const [one, other] = await world.services.approvals.pendingOf(membership.projectId);
  await decide(one?.id, { decision: 'allow_once' });
  await decide(other?.id, { decision: 'deny' });
  expect((await answer(membership)).split(', ').toSorted()).toEqual(['same allow_once', 'same deny']);
});

test('the process dies while a person thinks: the next one asks the same, and nobody is asked twice', async () => {
  const { membership, ids } = await dieAndGoOn(asking('push', 'deploy'));
  expect(await pending(membership, 1)).toEqual(new Map([['deploy', ids.get('deploy')]]));
  await decide(ids.get('deploy'), { decision: 'deny' });
  expect(await answer(membership)).toBe('push allow_once, deploy deny');
});

test('the next process asks one by one, and first what is open: what was decided before waits for it', async () => {
  const { membership, ids } = await dieAndGoOn(askingInOrder('deploy', 'push'));
  // Both are decided now, and it has asked for one of them only.
  await decide(ids.get('deploy'), { decision: 'deny' });
  expect(await answer(membership)).toBe('deploy deny, push allow_once');
});

test('an interrupt ends the turn; nothing that was open is a permission', async () => {
  const { chat, owner } = world.services;
  const driver = asking('one', 'two');
  const { membership } = await begin(driver);
  await pending(membership, 2);
  await chat.interrupt(owner, membership);
  await expect.poll(() => driver.turns[0]?.signal.aborted).toBe(true);
  await pending(membership, 0);
  const { approvals } = await world.services.approvals.list(owner, membership.projectId, { limit: 9 });
  expect(approvals.map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
});

/** Whether the approval waits for a session that takes it over. */
async function isOrphan(id: string | undefined): Promise<boolean> {
  const { rows } = await world.services.database.pool.query(
    'select orphaned_at is not null as orphan from approvals where tool_use_id = $1',
    [id],
  );
  return rows[0]?.orphan;
}
