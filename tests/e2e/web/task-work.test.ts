import { taskSchema } from '@aizuchi/shared/contract/task';
import { afterEach, expect, test } from 'vitest';
import { z } from 'zod';
import { expectNoViolations } from './support/axe.ts';
import { ChatWorld } from './support/chat-world.ts';
import { COORDINATOR_TOKEN, PlayedAgent, PlayedCoordinator } from './support/hand-played.ts';
import { expectGoodLook } from './support/look.ts';
import { useOwnWeb } from './support/web.ts';

// The product starts nothing here: the test acts as the Coordinator and the agent.
const web = useOwnWeb({ AIZUCHI_SERVICES: 'rest-api,mcp-server', MCP_COORDINATOR_TOKEN: COORDINATOR_TOKEN });
const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const client of open.splice(0)) await client.close();
});

test('the work on a task: it waits, it is worked on, it asks and is answered there, it is reported', async () => {
  const world = await ChatWorld.make(web, 'prj_work', { id: 'agt_work', name: 'Worker A' });
  // The runner of the built-in agent would be given up after 45 s without a heartbeat.
  const played = { provider: 'command', command: { file: 'agent', args: [] } };
  await web.owner.call(z.unknown(), 'PATCH', `/agents/${world.agentId}`, played);
  const task = await web.owner.call(taskSchema, 'POST', `/projects/${world.project.id}/tasks`, {
    title: 'Repair the tests',
    status: 'in_progress',
    assigneeId: world.agentId,
  });
  const page = await web.signedIn({ locale: 'en', path: `/projects/${world.project.id}?task=${task.id}` });
  const card = page.getByTestId(`task-card-${task.id}`);
  await card.locator('[data-strip=queued]').waitFor();
  await page.getByTestId('task-trigger').getByText('No Coordinator is running: Worker A waits').waitFor();

  const coordinator = new PlayedCoordinator(web);
  open.push(coordinator);
  await coordinator.beat(20);
  coordinator.stayAlive();
  const { purpose, launch } = await coordinator.ask(world);
  expect(purpose).toBe('task');
  const agent = await PlayedAgent.signIn(web, world, launch?.ticket ?? '');
  open.push(agent);
  await agent.next();
  await page.getByTestId('task-attempt-1').getByText('Working').waitFor();
  await agent.comment(task.id, 'One of three is **repaired**.');
  await page.getByTestId('task-activity').locator('article strong').getByText('repaired').waitFor();

  await agent.show({ id: 's1', title: 'npm test', status: 'done' }, 'Two of **three** are left.');
  await agent.show({ id: 's2', title: 'npm run lint', status: 'running' }, 'Two of **three** are left.');
  const live = page.getByTestId('task-live');
  await live.getByText('npm run lint').waitFor();
  await live.locator('strong').getByText('three').waitFor();
  await page.reload();
  await live.getByText('npm run lint').waitFor();

  await agent.spend(12_000, 400);
  await agent.ask('Shall I go on?');
  const question = page.getByTestId('task-panel').getByTestId('question-card');
  await question.waitFor();
  await card.locator('[data-strip=asks]').waitFor();
  await expectGoodLook(page, 'task-asks-en-1440');
  await question.getByTestId('question-option-0-1').click();
  await question.getByTestId('question-submit').click();
  await question.waitFor({ state: 'detached' });

  await agent.report('done', 'All three are repaired.');
  await page.getByTestId('column-done').getByTestId(`task-card-${task.id}`).waitFor();
  await page.getByTestId('task-attempt-1').getByText('Done').waitFor();
  await page.getByTestId('task-attempt-usage').getByText('12.4k').waitFor();
  await live.waitFor({ state: 'detached' });
  await page.getByTestId(`chat-steps-toggle-${task.id}-1`).click();
  await page.getByTestId('task-attempt-1').getByText('npm run lint').waitFor();
  await page.getByTestId('task-activity').locator('article').getByText('All three are repaired.').waitFor();
  await expectNoViolations(page);
});
