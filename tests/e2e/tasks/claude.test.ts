import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { changesSchema } from '@aizuchi/shared/contract/changes';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  lastResults,
  lastSaid,
  type ModelRequest,
  type ModelScript,
  type Reply,
} from '../../fixtures/fake-anthropic.ts';
import { ProjectRepository } from '../../fixtures/project-repository.ts';
import { ClaudeProduct } from '../claude/claude-product.ts';
import { until } from '../start/product-process.ts';
import { Board } from './task-world.ts';

/* The real Claude Code works on tasks, with a model that is a script. */

let product: ClaudeProduct;
let board: Board;
beforeAll(async () => {
  product = await ClaudeProduct.start();
  board = new Board((method, path, body) => product.world.call(method, path, body));
});
afterAll(async () => {
  expect(product.elsewhere).toEqual([]);
  expect(await product.stop()).toBe(true);
});

const never = new Promise<never>(() => undefined);
const PLAN = 'plan.md';

/** An agent in a project with a file under git. */
async function makeAgent(name: string, isolation: 'shared' | 'worktree') {
  const { world } = product;
  const agent = await world.makeAgent(name, { provider: 'claude' });
  await ProjectRepository.make(world.home, agent.folder, { [PLAN]: 'one\n' });
  await world.call('PATCH', `/projects/${agent.projectId}`, { isolation, permissionPolicy: 'allow_edits' });
  return agent;
}

/** As text, which it is. */
async function logOf(runId: string | undefined): Promise<string> {
  const { AIZUCHI_WEB_URL: url } = product.world.product.environment;
  const headers = { authorization: `Bearer ${product.world.token}` };
  return (await fetch(`${url}/api/runs/${runId}/log`, { headers })).text();
}

function cwdOf({ system, messages }: ModelRequest): string {
  const said = JSON.stringify([system, messages]).matchAll(/Primary working directory: ([^\s"\\]+)/g);
  return [...said].at(-1)?.[1] ?? '';
}

const reads: ModelScript = (request) => ({
  tool: 'Read',
  input: { file_path: join(cwdOf(request), PLAN) },
});
const writes =
  (content: string): ModelScript =>
  (request) => ({ tool: 'Write', input: { file_path: join(cwdOf(request), PLAN), content } });
const saves = (text: string): Reply => ({ tool: 'mcp__aizuchi__save_context', input: { text } });
const reports = (result: string, summary: string): Reply => ({
  tool: 'mcp__aizuchi__report_completed',
  input: { result, summary },
});

/** What is said is found by a part of it: other texts may stand before it. The first replies that fit are played. */
function plays(
  ...turns: readonly (readonly [part: string, replies: readonly (Reply | ModelScript)[]])[]
): void {
  let left: (Reply | ModelScript)[] = [];
  product.plays((request) => {
    const said = lastSaid(request);
    if (said !== '' && lastResults(request).length === 0)
      left = [...(turns.find(([part]) => said.includes(part))?.[1] ?? [])];
    const next = left.shift() ?? { text: 'ok' };
    return typeof next === 'function' ? next(request) : next;
  });
}

test('a task in a worktree is worked on, killed in the middle, and done by the next attempt', async () => {
  const agent = await makeAgent('tasked', 'worktree');
  plays(
    ['the first half', [reads, writes('two\n'), reports('done', 'It says two.'), { text: 'Finished.' }]],
    ['Rewrite the plan', [saves('the first half'), { text: [never] }]],
  );
  const task = await board.add(agent, { title: 'Rewrite the plan', description: 'It has to say two.' });
  await board.move(task, 'in_progress');
  await until(
    async () =>
      product.model.open > 0 && JSON.stringify(product.model.requests.at(-1)).includes('tool_result'),
  );
  await product.killRunner(agent);
  await board.untilStatus(task, 'done');

  expect(await board.comments(task)).toEqual(['It says two.']);
  expect(await board.attempts(task)).toMatchObject([{ outcome: 'crashed' }, { outcome: 'done' }]);
  const [run] = await board.untilAllExited(agent);
  const changes = changesSchema.parse(await product.world.call('GET', `/runs/${run?.id}/changes`));
  expect(changes.files).toMatchObject([{ path: PLAN, additions: 1, deletions: 1 }]);
  expect(await readFile(join(agent.folder, PLAN), 'utf8'), 'nobody has decided').toBe('one\n');
  expect(await logOf(run?.id)).toContain('step done');
  const usage = JSON.stringify(await product.world.call('GET', `/projects/${agent.projectId}/usage`));
  expect(usage).toMatch(/"inputTokens":[1-9]/);
});

test('in the folder of the project: a turn without a report is asked for it, and then what it said counts', async () => {
  const agent = await makeAgent('silent', 'shared');
  plays(
    ['has no report', [{ text: 'DONE: It says three.' }]],
    ['Say three', [reads, writes('three\n'), { text: 'Written.' }]],
  );
  const task = await board.add(agent, { title: 'Say three' });
  await board.move(task, 'in_progress');
  await board.untilStatus(task, 'done');
  expect(await board.comments(task)).toEqual(['It says three.']);
  expect(await readFile(join(agent.folder, PLAN), 'utf8')).toBe('three\n');
  await board.untilAllExited(agent);
});

test('blocked in the middle: the turn ends, and what was saved stays for the next', async () => {
  const agent = await makeAgent('halted', 'shared');
  plays(
    ['half of it', [reports('done', 'The rest is done.')]],
    ['Take long', [saves('half of it'), { text: [never] }]],
  );
  const task = await board.add(agent, { title: 'Take long' });
  await board.move(task, 'in_progress');
  await until(
    async () =>
      product.model.open > 0 && JSON.stringify(product.model.requests.at(-1)).includes('tool_result'),
  );
  await board.move(task, 'blocked');
  const [run] = await board.untilAllExited(agent);
  expect(run).toMatchObject({ exitCause: 'finished' });
  await until(() => product.model.open === 0);
  await board.move(task, 'in_progress');
  await board.untilStatus(task, 'done');
  expect(await board.attempts(task)).toMatchObject([{ outcome: 'blocked' }, { outcome: 'done' }]);
  await board.untilAllExited(agent);
});
