import { commentPageSchema, type Task, taskSchema } from '@aizuchi/shared/contract/task';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { Board } from '../tasks/task-world.ts';
import { ChatWorld } from './support/chat-world.ts';
import { screenshot } from './support/screenshot.ts';
import { useWeb } from './support/web.ts';

/* Tasks that are worked on by real processes of the built-in agent, seen and moved by a person in the browser. */

const web = useWeb();

const newTask = (world: ChatWorld, body: object) =>
  web.owner.call(taskSchema, 'POST', `/projects/${world.project.id}/tasks`, {
    status: 'todo',
    assigneeId: world.agentId,
    ...body,
  });
/** With the keys of the board: the card moves by one column. */
async function move(page: Page, { id }: Task, key: 'ArrowLeft' | 'ArrowRight'): Promise<void> {
  await page.getByTestId(`task-card-${id}`).getByRole('link').first().focus();
  await page.keyboard.press(`Shift+${key}`);
}
const cardIn = (page: Page, column: string, { id }: Task) =>
  page.getByTestId(`column-${column}`).getByTestId(`task-card-${id}`);
const open = (page: Page, { id }: Task) =>
  page.getByTestId(`task-card-${id}`).getByRole('link').first().click();

test('two tasks of which one waits for the other: both are done, and the page tells their story', async () => {
  const world = await ChatWorld.make(web, 'prj_two_tasks', { id: 'agt_two_tasks', name: 'Worker A' });
  const first = await newTask(world, { title: 'Open the shop', description: '- [ ] lights\n- [ ] door' });
  const second = await newTask(world, { title: 'Summarise the board', dependsOn: [first.id] });
  const page = await web.signedIn({ locale: 'en', path: `/projects/${world.project.id}` });
  await cardIn(page, 'todo', second).waitFor();
  await move(page, first, 'ArrowRight');
  await cardIn(page, 'done', first).waitFor();
  await cardIn(page, 'done', second).waitFor();
  await open(page, first);
  const activity = page.getByTestId('task-activity');
  await activity.locator('article').getByText('✓ 2/2 door').waitFor();
  await activity.getByText('moved it from To do to In progress').waitFor();
  await page.getByTestId('task-attempt-1').getByText('Done').waitFor();
  await screenshot(page, 'task-two-done-en');
  await page.keyboard.press('Escape');
  await open(page, second);
  await activity.locator('article').getByText('There are 2 tasks on the board.').waitFor();
  await activity.getByText('Worker A moved it from In progress to Done').waitFor();
});

test('blocked in the middle its agent stops; killed in the middle the next attempt goes on from what was saved', async () => {
  const world = await ChatWorld.make(web, 'prj_long_task', { id: 'agt_long_task', name: 'Worker B' });
  const items = Array.from({ length: 60 }, (_, index) => `item ${index + 1}`);
  const task = await newTask(world, {
    title: 'Count',
    description: items.map((item) => `- [ ] ${item}`).join('\n'),
  });
  const board = new Board((method, path, body) => web.owner.call(z.unknown(), method, path, body));
  const said = async () =>
    (await web.owner.call(commentPageSchema, 'GET', `/tasks/${task.id}/comments`)).comments.length;
  const page = await web.signedIn({ locale: 'en', path: `/projects/${world.project.id}?task=${task.id}` });
  const attempt = (n: number, state: string) =>
    page.getByTestId(`task-attempt-${n}`).getByText(state, { exact: true }).waitFor();
  await cardIn(page, 'todo', task).waitFor();
  await move(page, task, 'ArrowRight');
  await page.getByTestId('task-activity').getByText('✓ 2/60 item 2').waitFor();
  await move(page, task, 'ArrowRight');
  await attempt(1, 'Blocked');
  await board.untilAllExited({ projectId: world.project.id, agentId: world.agentId });
  const whenBlocked = await said();
  expect(whenBlocked).toBeLessThan(items.length);

  await move(page, task, 'ArrowLeft');
  await attempt(2, 'Working');
  await expect.poll(said).toBeGreaterThan(whenBlocked);
  const [run] = await board.runs({ projectId: world.project.id, agentId: world.agentId });
  process.kill(run?.pid ?? 0, 'SIGKILL');
  await attempt(2, 'Failed');
  const whenKilled = await said();
  await attempt(3, 'Working');
  await screenshot(page, 'task-third-attempt-en');
  await expect.poll(said).toBeGreaterThan(whenKilled);
  await move(page, task, 'ArrowRight');
  await attempt(3, 'Blocked');
  await board.untilAllExited({ projectId: world.project.id, agentId: world.agentId });
  const comments = await board.comments(task.id);
  expect(comments, 'nothing twice, nothing left out').toEqual(
    items.slice(0, comments.length).map((item, index) => `✓ ${index + 1}/60 ${item}`),
  );
});
