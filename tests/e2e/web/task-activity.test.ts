import { type Project, projectSchema } from '@aizuchi/shared/contract/project';
import { type CreateTaskBody, commentPageSchema, type Task, taskSchema } from '@aizuchi/shared/contract/task';
import type { Locator } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { expectGoodLook, LOOKS } from './support/look.ts';
import { useWeb } from './support/web.ts';

const web = useWeb();

let project: Project;
beforeAll(async () => {
  project = await web.owner.call(projectSchema, 'POST', '/projects', { name: 'Activity' });
});

const newTask = (body: CreateTaskBody) =>
  web.owner.call(taskSchema, 'POST', `/projects/${project.id}/tasks`, body);
const pathOf = ({ id }: Task) => `/projects/${project.id}?task=${id}`;
/** Not cut off by what holds it, nor outside of the window. */
const isWhole = (locator: Locator) =>
  locator.evaluate((shown) => {
    const box = shown.getBoundingClientRect();
    const around = shown.parentElement?.getBoundingClientRect() ?? box;
    return (
      box.right <= around.right + 1 &&
      box.bottom <= around.bottom + 1 &&
      box.top >= 0 &&
      box.bottom <= shown.ownerDocument.documentElement.clientHeight
    );
  });

test.each(LOOKS)('a task shows what happened and what was said, in $locale, $width px', async (look) => {
  const parent = await newTask({ title: '月末締めを正しくする' });
  const task = await newTask({
    title: '回帰テストの失敗 3 件を直す',
    labels: ['テスト', '月末'],
    dueDate: '2026-12-24',
  });
  await newTask({ title: 'ケースを足す', parentId: parent.id });
  await web.owner.call(taskSchema, 'PATCH', `/tasks/${task.id}`, { version: task.version, status: 'todo' });
  const page = await web.signedIn({ ...look, path: pathOf(task) });
  const activity = page.getByTestId('task-activity');
  await activity.getByText('To do').waitFor();
  await page.getByTestId('task-comment').fill('`rounding.test.ts` is **done**.');
  await page.getByTestId('task-comment').press('Control+Enter');
  await activity.locator('code', { hasText: 'rounding.test.ts' }).waitFor();
  await expect.poll(() => page.getByTestId('task-comment').inputValue()).toBe('');
  await expectGoodLook(page, `task-activity-${look.locale}-${look.width}`);
  const { comments } = await web.owner.call(commentPageSchema, 'GET', `/tasks/${task.id}/comments`);
  expect(comments).toMatchObject([{ authorId: 'owner', body: '`rounding.test.ts` is **done**.' }]);
});

test('a comment of somebody else appears by itself, and can be deleted by an owner', async () => {
  const task = await newTask({ title: 'Live', description: 'A line.\n\n'.repeat(40) });
  const page = await web.signedIn({ locale: 'en', path: pathOf(task) });
  const activity = page.getByTestId('task-activity');
  await activity.getByText('created it').waitFor();
  await web.owner.call(commentPageSchema.shape.comments.element, 'POST', `/tasks/${task.id}/comments`, {
    body: 'From elsewhere',
  });
  await activity.getByText('From elsewhere').waitFor();
  await activity.getByRole('button', { name: /Delete the comment/ }).click();
  await page
    .getByRole('alertdialog')
    .or(page.getByRole('dialog'))
    .last()
    .getByRole('button', { name: 'Delete' })
    .click();
  await activity.getByText('From elsewhere').waitFor({ state: 'detached' });
  // What one says oneself is seen, however far below the fields it is.
  await page.getByText('A line.').first().scrollIntoViewIfNeeded();
  await page.getByTestId('task-comment').fill('From me');
  await page.getByTestId('task-comment-send').click();
  await expect.poll(() => isWhole(activity.getByText('From me'))).toBe(true);
});

test('labels and a due date are saved with the task and stand on its card', async () => {
  const task = await newTask({ title: 'Ship it' });
  const page = await web.signedIn({ locale: 'en', path: pathOf(task) });
  for (const label of ['release', 'ui']) {
    await page.getByTestId('task-label').fill(label);
    await page.getByTestId('task-label').press('Enter');
  }
  for (const title of ['One', 'Two']) await newTask({ title, parentId: task.id });
  await page.getByTestId('task-comment').fill('Soon.');
  await page.getByTestId('task-comment-send').click();
  await page.getByTestId('task-due').fill('2030-01-31');
  await page.getByTestId('task-due').blur();
  await page.getByTestId(`task-card-${task.id}`).getByText('release, ui').waitFor();
  await page.getByTestId(`task-card-${task.id}`).getByText('Jan 31, 2030').waitFor();
  await expect
    .poll(() => web.owner.call(taskSchema, 'GET', `/tasks/${task.id}`))
    .toMatchObject({ labels: ['release', 'ui'], dueDate: '2030-01-31' });
  // Beside the parts and the comments, on the narrowest card.
  const card = page.getByTestId(`task-card-${task.id}`);
  await card.getByTitle('0 of 2 parts done').waitFor({ state: 'attached' });
  expect(await isWhole(card.getByTestId('card-due'))).toBe(true);
});
