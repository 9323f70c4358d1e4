import { type Project, projectSchema } from '@aizuchi/shared/contract/project';
import {
  type CreateTaskBody,
  commentPageSchema,
  type Task,
  taskPageSchema,
  taskSchema,
} from '@aizuchi/shared/contract/task';
import { beforeAll, expect, test } from 'vitest';
import { useWeb } from './support/web.ts';

const web = useWeb();

let project: Project;
beforeAll(async () => {
  project = await web.owner.call(projectSchema, 'POST', '/projects', { name: 'Slow answers' });
});

const newTask = (body: CreateTaskBody) =>
  web.owner.call(taskSchema, 'POST', `/projects/${project.id}/tasks`, body);
const read = ({ id }: Task) => web.owner.call(taskSchema, 'GET', `/tasks/${id}`);
const pathOf = ({ id }: Task) => `/projects/${project.id}?task=${id}`;

test('what is written while it is being saved stays, and is no change of somebody else', async () => {
  const task = await newTask({ title: 'Zero' });
  const page = await web.signedIn({ locale: 'en', path: pathOf(task) });
  const saved = Promise.withResolvers<void>();
  await page.route(`**/api/tasks/${task.id}`, async (route) => {
    const response = await route.fetch();
    await saved.promise;
    await route.fulfill({ response });
  });
  const title = page.getByTestId('task-panel').getByTestId('task-title');
  await title.fill('One');
  await title.press('Enter');
  // The socket is faster than the response.
  await page.getByTestId(`task-card-${task.id}`).getByText('One', { exact: true }).waitFor();
  await title.fill('One and more');
  await expect.poll(() => page.getByTestId('task-conflict').count()).toBe(0);
  await title.press('Enter');
  saved.resolve();
  await expect.poll(async () => (await read(task)).title).toBe('One and more');
  await page.getByTestId(`task-card-${task.id}`).getByText('One and more').waitFor();
  await expect.poll(() => page.getByTestId('task-panel').getByRole('alert').count()).toBe(0);

  const sent = Promise.withResolvers<void>();
  await page.route('**/comments', async (route) => {
    if (route.request().method() === 'POST') await sent.promise;
    await route.continue();
  });
  const box = page.getByTestId('task-comment');
  await box.fill('first');
  await box.press('Control+Enter');
  await box.fill('second');
  sent.resolve();
  await page.getByTestId('task-activity').locator('article').getByText('first').waitFor();
  await expect
    .poll(async () => (await web.owner.call(commentPageSchema, 'GET', `/tasks/${task.id}/comments`)).comments)
    .toMatchObject([{ body: 'first' }]);
  await box.press('End');
  await expect.poll(() => box.inputValue()).toBe('second');
});

test('a card is moved beside a change of somebody else, the focus stays, a task whose answer was lost is made once', async () => {
  const task = await newTask({ title: 'Move me' });
  const page = await web.signedIn({ locale: 'en', path: `/projects/${project.id}` });
  const card = page.getByTestId(`task-card-${task.id}`);
  let isFirst = true;
  await page.route(`**/api/tasks/${task.id}`, async (route) => {
    if (isFirst && route.request().method() === 'PATCH') {
      isFirst = false;
      const { version } = await read(task);
      await web.owner.call(taskSchema, 'PATCH', `/tasks/${task.id}`, { version, description: 'meanwhile' });
    }
    await route.continue();
  });
  // Who the person is comes by a request of its own: what is pressed before it is known does nothing.
  await page.getByTestId('task-new').waitFor();
  await card.getByRole('link').focus();
  await page.keyboard.press('Shift+ArrowRight');
  await expect.poll(async () => (await read(task)).status).toBe('todo');
  await expect.poll(() => page.getByRole('alert').count()).toBe(0);

  // Who moved a card by key and writes elsewhere now keeps the focus when the board changes.
  await page.getByTestId('quick-add-backlog').click();
  const line = page.getByTestId('quick-add');
  await line.fill('Once');
  const other = await newTask({ title: 'Of somebody else' });
  await page.getByTestId(`task-card-${other.id}`).waitFor();
  await expect.poll(() => page.locator('[data-testid=quick-add]:focus').count()).toBe(1);

  const posted = () =>
    page.waitForResponse((one) => one.request().method() === 'POST' && one.url().endsWith('/tasks'));
  await page.route(
    `**/api/projects/${project.id}/tasks`,
    async (route) => {
      await route.fetch();
      await route.abort();
    },
    { times: 1 },
  );
  await line.press('Enter');
  await page.getByTestId('column-backlog').getByRole('alert').waitFor();
  const [answer] = await Promise.all([posted(), line.press('Enter')]);
  await answer.finished();
  const { tasks } = await web.owner.call(taskPageSchema, 'GET', `/projects/${project.id}/tasks`);
  expect(tasks.filter(({ title }) => title === 'Once')).toHaveLength(1);
  await expect.poll(() => line.inputValue()).toBe('');
});
