import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runPageSchema } from '@aizuchi/shared/contract/run';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import {
  type FakeAnthropic,
  lastResults,
  lastSaid,
  type ModelRequest,
  type ModelScript,
  type Reply,
  startFakeAnthropic,
} from '../../fixtures/fake-anthropic.ts';
import { ProjectRepository } from '../../fixtures/project-repository.ts';
import { startTrap, type Trap } from '../../fixtures/trap-proxy.ts';
import { claudeEnvironment } from '../claude/claude-product.ts';
import { Board } from '../tasks/task-world.ts';
import { ChatWorld } from './support/chat-world.ts';
import { expectGoodLook, LOOKS } from './support/look.ts';
import { Web } from './support/web.ts';

/* A person gives tasks to agents in the page, and sees there what their processes do. */

const web = new Web();
let model: FakeAnthropic;
let trap: Trap;
let userHome: string;
let script: ModelScript = () => ({ text: 'ok' });
const board = new Board((method, path, body) => web.owner.call(z.unknown(), method, path, body));

beforeAll(async () => {
  model = await startFakeAnthropic((request) => script(request));
  trap = await startTrap();
  userHome = await mkdtemp(join(tmpdir(), 'aizuchi-claude-user-'));
  await web.start(await claudeEnvironment(model, trap, userHome));
}, 120_000);
afterEach(() => web.closePages());
afterAll(async () => {
  await web.stop();
  await Promise.all([model.close(), trap.close(), rm(userHome, { recursive: true, force: true })]);
  expect(trap.addresses).toEqual([]);
}, 60_000);

const assignee = ({ project, agentId }: ChatWorld) => ({ projectId: project.id, agentId });
const pathOf = ({ project }: ChatWorld, task: string) => `/projects/${project.id}?task=${task}`;
const move = (page: Page, status: string) => page.getByTestId('task-status').selectOption(status);
const cardIn = (page: Page, column: string, task: string): Locator =>
  page.getByTestId(`column-${column}`).getByTestId(`task-card-${task}`);

test('two tasks, one after the other, by the first being moved in the page; one is blocked in the middle there', async () => {
  const world = await ChatWorld.make(web, 'prj_ticks', { id: 'agt_ticks', name: 'Ticker' });
  const first = await board.add(assignee(world), { title: 'Open up', description: '- [ ] open\n- [ ] air' });
  const second = await board.add(assignee(world), { title: 'Summarise the board', dependsOn: [first] });
  const page = await web.signedIn({ locale: 'en', path: pathOf(world, first) });
  const activity = page.getByTestId('task-activity');
  await move(page, 'in_progress');
  await cardIn(page, 'done', second).waitFor();
  await cardIn(page, 'done', first).waitFor();
  for (const said of ['✓ 1/2 open', '✓ 2/2 air', 'All 2 items of the checklist are done.'])
    await activity.locator('article').getByText(said).waitFor();
  await activity.getByText('In progress').first().waitFor();
  await page.getByTestId('task-attempt-1').getByText('Done').waitFor();
  await cardIn(page, 'done', second).getByRole('link').click();
  await activity.locator('article').getByText('There are 2 tasks on the board.').waitFor();
  await page.getByTestId('task-attempt-1').getByText('Done').waitFor();

  const items = Array.from({ length: 60 }, (_, index) => `- [ ] item ${index + 1}`);
  const long = await board.add(assignee(world), { title: 'Long', description: items.join('\n') });
  await page.goto(pathOf(world, long));
  await move(page, 'in_progress');
  await activity.locator('article').getByText('✓ 1/60 item 1').waitFor();
  await move(page, 'blocked');
  await page.getByTestId('task-attempt-1').getByText('Blocked').waitFor();
  await cardIn(page, 'blocked', long).waitFor();
  await page.getByTestId('task-run').waitFor({ state: 'detached' });
  const runs = await board.untilAllExited(assignee(world));
  expect(runs.map(({ exitCause }) => exitCause)).not.toContain('crashed');
  expect((await board.comments(long)).length).toBeLessThan(items.length);
});

test('the real Claude Code is killed in the middle, its next attempt goes on: diff, log and tokens are seen', async () => {
  const world = await ChatWorld.make(web, 'prj_plan', {
    id: 'agt_plan',
    name: 'Analysis Worker',
    provider: 'claude',
  });
  const { id: projectId, workingDirectory: folder = '' } = world.project;
  await ProjectRepository.make(web.product.environment.AIZUCHI_HOME ?? '', folder, { 'plan.md': 'one\n' });
  await web.owner.call(z.unknown(), 'PATCH', `/projects/${projectId}`, {
    isolation: 'worktree',
    permissionPolicy: 'allow_edits',
  });
  const task = await board.add(assignee(world), {
    title: 'Rewrite the plan',
    description: 'It has to say **two**.',
  });
  const told: string[] = [];
  const file = (request: ModelRequest) => join(cwdOf(request), 'plan.md');
  const firstTime: (Reply | ModelScript)[] = [
    { tool: 'mcp__aizuchi__save_context', input: { text: 'the plan is found' } },
    { text: ['I look at it.', new Promise(() => undefined)] },
  ];
  const nextTime: (Reply | ModelScript)[] = [
    (request) => ({ tool: 'Read', input: { file_path: file(request) } }),
    (request) => ({ tool: 'Write', input: { file_path: file(request), content: 'two\n' } }),
    { tool: 'mcp__aizuchi__report_completed', input: { result: 'done', summary: 'It says two.' } },
  ];
  let left: (Reply | ModelScript)[] = [];
  script = (request) => {
    const said = lastSaid(request);
    if (said.includes('Rewrite the plan') && lastResults(request).length === 0) {
      told.push(said);
      left = said.includes('the plan is found') ? nextTime : firstTime;
    }
    const next = left.shift() ?? { text: 'Finished.' };
    return typeof next === 'function' ? next(request) : next;
  };

  const page = await web.signedIn({ locale: 'en', path: pathOf(world, task) });
  await move(page, 'in_progress');
  await page.getByTestId('task-live').getByText('I look at it.').waitFor();
  const running = async () =>
    (await web.owner.call(runPageSchema, 'GET', `/projects/${projectId}/runs`)).runs.find(
      ({ state }) => state === 'running',
    );
  // Its Coordinator may report it after the first words of its agent.
  await expect.poll(running).toMatchObject({ pid: expect.any(Number) });
  process.kill((await running())?.pid ?? Number.NaN, 'SIGKILL');
  await page.getByTestId('task-attempt-1').getByText('Failed').waitFor();
  await page.getByTestId('task-attempt-2').getByText('Done').waitFor();
  await cardIn(page, 'done', task).waitFor();
  expect(told.at(-1)).toContain('the plan is found');
  await page.getByTestId('task-activity').locator('article').getByText('It says two.').waitFor();
  await page.getByTestId('task-attempt-2').getByTestId('task-attempt-usage').getByText('tokens').waitFor();
  const work = page.getByTestId('task-work');
  const changes = work.getByRole('region', { name: 'Changes of Analysis Worker' });
  await changes.getByText('plan.md').click();
  await changes.getByText('two', { exact: true }).waitFor();
  await page.getByTestId('task-attempt-2').getByRole('button', { name: /log/i }).click();
  await page.getByTestId('task-log').getByText('step done').first().waitFor();
  expect(await readFile(join(folder, 'plan.md'), 'utf8'), 'nobody has decided').toBe('one\n');

  for (const look of LOOKS) {
    const seen = await web.signedIn({ ...look, path: pathOf(world, task) });
    await seen.getByTestId('task-attempt-2').waitFor();
    await seen.getByTestId('task-work').getByText('plan.md').waitFor();
    await expectGoodLook(seen, `task-real-${look.locale}-${look.width}`);
  }
});

function cwdOf({ system, messages }: ModelRequest): string {
  const said = JSON.stringify([system, messages]).matchAll(/Primary working directory: ([^\s"\\]+)/g);
  return [...said].at(-1)?.[1] ?? '';
}
