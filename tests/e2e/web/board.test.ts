import { createdAgentSchema } from '@aizuchi/shared/contract/agent';
import { membershipSchema, type Project, projectSchema } from '@aizuchi/shared/contract/project';
import { type CreateTaskBody, type Task, taskPageSchema, taskSchema } from '@aizuchi/shared/contract/task';
import type { Page, Route } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { expectNoViolations } from './support/axe.ts';
import { expectGoodLook, LOOKS } from './support/look.ts';
import { seesInPassing } from './support/passing-text.ts';
import { screenshot } from './support/screenshot.ts';
import { useWeb } from './support/web.ts';

const web = useWeb();

const newProject = (name: string) => web.owner.call(projectSchema, 'POST', '/projects', { name });
const newTask = (project: Project, body: CreateTaskBody) =>
  web.owner.call(taskSchema, 'POST', `/projects/${project.id}/tasks`, body);
const read = ({ id }: Task) => web.owner.call(taskSchema, 'GET', `/tasks/${id}`);
const boardOf = (project: Project) => `/projects/${project.id}`;

function cardIn(page: Page, status: Task['status'], task: Pick<Task, 'id'>) {
  return page.getByTestId(`column-${status}`).getByTestId(`task-card-${task.id}`);
}

/** Who the person is comes by a request of its own: what is pressed before it is known does nothing. */
const untilWritable = (page: Page) => page.getByTestId('task-new').waitFor();

describe('appearance', () => {
  let project: Project;
  let empty: Project;
  let opened: Task;

  beforeAll(async () => {
    empty = await newProject('Sensor gateway');
    project = await newProject('家計簿 API');
    const people = await Promise.all(
      ['Analysis Worker', 'Backend Worker', 'Docs Writer'].map(async (name) => {
        const agent = await web.owner.call(createdAgentSchema, 'POST', '/agents', { name, type: 'ai' });
        await web.owner.call(membershipSchema, 'PUT', `/projects/${project.id}/agents/${agent.id}`);
        return agent.id;
      }),
    );
    const [a, b, d] = people as [string, string, string];
    const at = (
      status: Task['status'],
      title: string,
      priority: Task['priority'],
      assigneeId?: string,
    ): CreateTaskBody => ({ status, title, priority, ...(assigneeId && { assigneeId }) });
    const bodies = [
      at('backlog', 'CSV 取り込みの文字コードを自動で判定する', 'low'),
      at('backlog', '為替レートを日次で取り込む', 'medium', d),
      at('backlog', '予算の繰り越しルールを決める', 'medium', 'owner'),
      at('todo', '月次集計 API にページングを付ける', 'high', b),
      at('todo', 'Document data deletion on account closing', 'medium', d),
      at('in_progress', '回帰テストの失敗 3 件を直す', 'urgent', a),
      at('in_progress', 'Compare isolation levels, write it up', 'medium', b),
      at('blocked', '決済 Webhook の署名検証', 'high', b),
      at('done', '口座の重複登録を防ぐ', 'medium', a),
      at('done', 'Publish OpenAPI 3.1', 'medium', d),
      at('cancelled', 'Rewrite in another language', 'low'),
    ];
    for (const body of bodies) {
      const task = await newTask(project, body);
      if (body.priority === 'urgent') opened = task;
    }
    await web.owner.call(z.unknown(), 'POST', `/projects/${project.id}/agents/${a}/chat/start`, {});
  });

  test.each(LOOKS)('without violations in $locale, $width px', async (look) => {
    const suffix = `${look.locale}-${look.width}`;
    const page = await web.signedIn({ ...look, path: boardOf(project) });
    await page.getByTestId(`task-card-${opened.id}`).waitFor();
    await expectGoodLook(page, `board-${suffix}`);
    // Its columns are scrolled sideways, not the page.
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(look.width);
    await page.getByTestId(`task-card-${opened.id}`).click();
    await page.getByTestId('task-title').waitFor();
    await expectGoodLook(page, `board-task-${suffix}`);
    await page.goto(boardOf(empty));
    await page.getByTestId('task-new-first').waitFor();
    await expectGoodLook(page, `board-empty-${suffix}`);
  });
});

describe('creating and changing', () => {
  test('the key c creates a task; the open task is in the address', async () => {
    const project = await newProject('Create');
    const page = await web.signedIn({ locale: 'en', path: boardOf(project) });
    await page.getByText('No tasks yet').waitFor();
    await untilWritable(page);
    await page.keyboard.press('c');
    await page.getByTestId('task-title').fill('Paginate the totals');
    // What is half written is kept after Esc and after a click outside.
    for (const leave of [() => page.keyboard.press('Escape'), () => page.mouse.click(4, 4)]) {
      // A dialog that has just opened does not take clicks outside yet.
      const isOpen = async () => {
        await leave();
        return (await page.getByTestId('task-title').count()) > 0;
      };
      await expect.poll(isOpen).toBe(false);
      await page.keyboard.press('c');
      await expect.poll(() => page.getByTestId('task-title').inputValue()).toBe('Paginate the totals');
    }
    await page.getByTestId('task-priority').selectOption('high');
    await page.getByTestId('task-title').focus();
    await page.keyboard.press('Enter');
    await page.getByTestId('column-backlog').getByText('Paginate the totals').click();
    await page.waitForURL(/\?task=tsk_/);
    await page.reload();
    await page.getByTestId('task-describe').click();
    await page.getByTestId('task-description').fill('By month, 50 at a time.');
    await page.getByTestId('task-description').press('Control+Enter');
    await page.getByTestId('task-status').selectOption('todo');
    await page.getByTestId('column-todo').getByText('Paginate the totals').waitFor();
    const tasks = async () =>
      (await web.owner.call(taskPageSchema, 'GET', `/projects/${project.id}/tasks`)).tasks;
    await expect
      .poll(tasks)
      .toMatchObject([
        { description: 'By month, 50 at a time.', status: 'todo', priority: 'high', version: 3 },
      ]);
    await page.keyboard.press('Escape');
    await page.getByTestId('task-panel').waitFor({ state: 'detached' });
    await expect.poll(() => new URL(page.url()).search).toBe('');
  });

  test('in a text field c is a letter and opens nothing', async () => {
    const project = await newProject('Letters');
    const page = await web.signedIn({ locale: 'en', path: boardOf(project) });
    await page.getByTestId('task-new').click();
    await page.getByTestId('task-title').pressSequentially('cc');
    await expect.poll(() => page.getByTestId('task-title').inputValue()).toBe('cc');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(1);
  });

  test('a task is deleted after a confirmation', async () => {
    const project = await newProject('Delete');
    const task = await newTask(project, { title: 'Not needed' });
    const page = await web.signedIn({ locale: 'en', path: `${boardOf(project)}?task=${task.id}` });
    await page.getByTestId('task-more').click();
    await page.getByTestId('task-delete').click();
    await expectNoViolations(page);
    await page.getByRole('button', { name: 'Delete', exact: true }).last().click();
    await page.getByText('No tasks yet').waitFor();
  });

  test('two people at once: other fields are kept, of the same one the person decides', async () => {
    const project = await newProject('Conflict');
    const task = await newTask(project, { title: 'Before', description: 'Text' });
    const page = await web.signedIn({ locale: 'en', path: `${boardOf(project)}?task=${task.id}` });
    await page.getByTestId('task-title').fill('Mine');
    await web.owner.call(taskSchema, 'PATCH', `/tasks/${task.id}`, {
      version: 1,
      title: 'Theirs',
      priority: 'high',
    });
    await page.getByTestId('task-conflict').getByText('Theirs', { exact: true }).waitFor();
    await expect.poll(() => page.getByTestId('task-title').inputValue()).toBe('Mine');
    await screenshot(page, 'board-conflict-en');
    await expectNoViolations(page);
    await page.getByTestId('task-keep-mine').click();
    await page.getByTestId('task-conflict').waitFor({ state: 'detached' });
    await expect.poll(() => read(task)).toMatchObject({ title: 'Mine', priority: 'high', version: 3 });
  });

  test('theirs is shown when the conflict is found only on saving', async () => {
    const project = await newProject('Theirs');
    const task = await newTask(project, { title: 'Before' });
    const page = await web.signedIn({ locale: 'en', path: `${boardOf(project)}?task=${task.id}` });
    await page.getByTestId('task-title').fill('Mine');
    // The page gets no frame about the other change, as if the socket were down.
    const change = async (route: Route) => {
      await web.owner.call(taskSchema, 'PATCH', `/tasks/${task.id}`, { version: 1, title: 'Theirs' });
      await route.continue();
    };
    await page.route('**/api/tasks/*', change, { times: 1 });
    await page.getByTestId('task-title').press('Enter');
    await page.getByTestId('task-take-theirs').click();
    await expect.poll(() => page.getByTestId('task-title').inputValue()).toBe('Theirs');
    await page.getByTestId('task-conflict').waitFor({ state: 'detached' });
  });
});

describe('moving', () => {
  test('by drag, only to allowed columns', async () => {
    const project = await newProject('Drag');
    const task = await newTask(project, { title: 'Drag me', status: 'todo' });
    const page = await web.signedIn({ locale: 'en', path: boardOf(project) });
    const card = page.getByTestId(`task-card-${task.id}`);
    await untilWritable(page);
    await card.dragTo(page.getByTestId('column-done'));
    await cardIn(page, 'todo', task).waitFor();
    await card.dragTo(page.getByTestId('column-in_progress'));
    await cardIn(page, 'in_progress', task).waitFor();
    await expect.poll(async () => (await read(task)).status).toBe('in_progress');
    expect((await read(task)).version).toBe(2);
  });

  test('while a card is dragged, the columns show whether it may be dropped there', async () => {
    const project = await newProject('Hints');
    const task = await newTask(project, { title: 'Drag me', status: 'in_progress' });
    const page = await web.signedIn({ locale: 'en', path: boardOf(project) });
    await untilWritable(page);
    await page.getByTestId(`task-card-${task.id}`).hover();
    await page.mouse.down();
    const box = await page.getByTestId('column-blocked').boundingBox();
    await page.mouse.move((box?.x ?? 0) + 40, (box?.y ?? 0) + 90, { steps: 4 });
    await page
      .locator('[data-testid=column-backlog][data-drop=refused]')
      .getByText('only via To do')
      .waitFor();
    await page.locator('[data-testid=column-done][data-drop=possible]').waitFor();
    await screenshot(page, 'board-drag-en');
    await page.mouse.up();
    await cardIn(page, 'blocked', task).waitFor();
  });

  test('into an order within a column, by drag and by keys', async () => {
    const project = await newProject('Order');
    const [first, second, third] = [
      await newTask(project, { title: 'First' }),
      await newTask(project, { title: 'Second' }),
      await newTask(project, { title: 'Third' }),
    ];
    const page = await web.signedIn({ locale: 'en', path: boardOf(project) });
    const order = () => page.getByTestId('column-backlog').getByRole('link').allTextContents();
    await untilWritable(page);
    await page
      .getByTestId(`task-card-${third.id}`)
      .dragTo(page.getByTestId(`task-card-${first.id}`), { targetPosition: { x: 20, y: 4 } });
    await expect.poll(order).toEqual(['Third', 'First', 'Second']);
    await expect.poll(async () => (await read(third)).version).toBe(2);
    await page.getByRole('link', { name: 'Second' }).focus();
    await page.keyboard.press('Shift+ArrowUp');
    await expect.poll(order).toEqual(['Third', 'Second', 'First']);
    await expect.poll(async () => (await read(second)).version).toBe(2);
    await page.reload();
    await expect.poll(order).toEqual(['Third', 'Second', 'First']);
  });

  test('by keys: arrows move the focus, Shift with an arrow moves the card, m opens the menu, the focus follows', async () => {
    const project = await newProject('Keys');
    const first = await newTask(project, { title: 'First' });
    const second = await newTask(project, { title: 'Second' });
    const over = await newTask(project, { title: 'Over', status: 'done' });
    const page = await web.signedIn({ locale: 'en', path: boardOf(project) });
    const focused = () => page.evaluate<string>('document.activeElement?.textContent');
    await untilWritable(page);
    await page.getByRole('link', { name: 'First' }).focus();
    await page.keyboard.press('ArrowDown');
    await expect.poll(focused).toBe('Second');
    await page.keyboard.press('Shift+ArrowRight');
    await cardIn(page, 'todo', second).waitFor();
    await expect.poll(focused).toBe('Second');
    await page.keyboard.press('ArrowLeft');
    await expect.poll(focused).toBe('First');
    // The menu is there before it is open: then it knows that a key opens it.
    await page.locator('button[aria-hidden="true"][aria-haspopup="menu"]').waitFor({ state: 'attached' });
    await page.keyboard.press('m');
    await page.getByRole('menuitem').first().and(page.locator(':focus')).waitFor();
    await expect
      .poll(() => page.getByRole('menuitem').allTextContents())
      .toEqual([
        'To do',
        'In progressonly via To do',
        'Blockedonly via To do → In progress',
        'Doneonly via To do → In progress',
        'Cancelled',
      ]);
    await page.keyboard.press('ArrowDown');
    const refused = page.getByRole('menuitem', { name: 'In progress only via To do', disabled: true });
    // The menu moves the focus a moment after the key.
    await refused.and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    await refused.and(page.locator(':focus')).waitFor();
    await screenshot(page, 'board-menu-en');
    await expectNoViolations(page);
    // From wherever the pictures have left the focus in the menu.
    await page.keyboard.press('Home');
    await page.getByRole('menuitem', { name: 'To do', exact: true }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    await cardIn(page, 'todo', first).waitFor();
    await expect.poll(focused).toBe('First');
    await expect.poll(async () => (await read(first)).status).toBe('todo');
    await page.getByRole('status').getByText('Moved “First” to To do').waitFor({ state: 'attached' });

    await page.getByRole('link', { name: 'Over' }).focus();
    await seesInPassing(
      page,
      '“Over” stays where it is: to Cancelled only via To do.',
      () => page.keyboard.press('Shift+ArrowRight'),
      '[aria-live=polite]',
    );
    await page.getByRole('status').getByText('“Over” stays where it is').waitFor({ state: 'attached' });
    await expect.poll(focused).toBe('Over');
    expect((await read(over)).status).toBe('done');
    await page.keyboard.press('Enter');
    const status = page.getByRole('combobox', { name: 'Column' });
    await status.waitFor();
    await expect
      .poll(() => status.locator('option:disabled').allTextContents())
      .toEqual([
        'Backlog (only via To do)',
        'In progress (only via To do)',
        'Blocked (only via To do → In progress)',
        'Cancelled (only via To do)',
      ]);
    await screenshot(page, 'board-refused-en');
    await expectNoViolations(page);
  });

  test('at 360 px by the menu of the card', async () => {
    const project = await newProject('Phone');
    const task = await newTask(project, { title: 'Tap me' });
    const page = await web.signedIn({ locale: 'ja', width: 360, path: boardOf(project) });
    await page.getByRole('button', { name: '「Tap me」を移動' }).tap();
    await page.getByTestId('move-to-todo').tap();
    await expect.poll(async () => (await read(task)).status).toBe('todo');
  });

  test('is undone with the reason when the server refuses, and can be retried', async () => {
    const project = await newProject('Refused');
    const task = await newTask(project, { title: 'Stubborn', status: 'todo' });
    const page = await web.signedIn({ locale: 'en', path: boardOf(project) });
    await untilWritable(page);
    await page.route('**/api/tasks/*', (route) => route.abort());
    const card = page.getByTestId(`task-card-${task.id}`);
    await card.dragTo(page.getByTestId('column-in_progress'));
    await page.getByRole('alert').getByText('“Stubborn” could not be moved to In progress').waitFor();
    await cardIn(page, 'todo', task).waitFor();
    await screenshot(page, 'board-move-failed-en');
    await expectNoViolations(page);
    await page.unroute('**/api/tasks/*');
    await page.getByRole('button', { name: 'Retry' }).click();
    await cardIn(page, 'in_progress', task).waitFor();
    await expect.poll(async () => (await read(task)).status).toBe('in_progress');
    await expect.poll(() => page.getByRole('alert').count()).toBe(0);
  });

  test('is saved although the next page cannot be loaded; that one comes once the server is there', async () => {
    const project = await newProject('Cut off');
    const task = await newTask(project, { title: 'On its way', status: 'todo' });
    const page = await web.signedIn({ locale: 'en', path: boardOf(project) });
    await untilWritable(page);
    const release = await holdMoves(page, 'continue');
    const probes = await cutOff(page, /SchedulesPage/);
    await page.getByTestId(`task-card-${task.id}`).dragTo(page.getByTestId('column-in_progress'));
    await page.getByRole('link', { name: 'Schedules' }).click();
    await expect.poll(() => probes.refused).toBeGreaterThan(1);
    await cardIn(page, 'in_progress', task).waitFor();
    await screenshot(page, 'board-next-page-awaited-en');
    probes.isCutOff = false;
    await expect.poll(() => probes.answered).toBeGreaterThan(1);
    await cardIn(page, 'in_progress', task).waitFor();
    release();
    await page.getByRole('heading', { level: 1, name: 'Schedules' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`${boardOf(project)}/schedules`);
    expect((await read(task)).status).toBe('in_progress');
  });

  test('that is saved after another project was opened is not on the board of that one', async () => {
    const [project, other] = [await newProject('Here'), await newProject('There and back')];
    const task = await newTask(project, { title: 'Stays here', status: 'todo' });
    const page = await web.signedIn({ locale: 'en', path: boardOf(project) });
    await untilWritable(page);
    const release = await holdMoves(page, 'continue');
    await page.getByTestId(`task-card-${task.id}`).dragTo(page.getByTestId('column-in_progress'));
    await page.keyboard.press('Control+k');
    await page.getByTestId('command-menu').getByRole('combobox').and(page.locator(':focus')).waitFor();
    await page.keyboard.type('> There and back');
    await page.getByRole('option', { name: other.name, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**${boardOf(other)}`);
    await untilWritable(page);
    const saved = page.waitForResponse((response) => response.request().method() === 'PATCH');
    release();
    await saved;
    const { id } = await newTask(other, { title: 'There', status: 'todo' });
    await page.getByTestId(`task-card-${id}`).waitFor();
    expect(await page.getByTestId(`task-card-${task.id}`).count()).toBe(0);
  });

  test('that fails after the board was left says so', async () => {
    const project = await newProject('Left');
    const task = await newTask(project, { title: 'Late', status: 'todo' });
    const page = await web.signedIn({ locale: 'en', path: boardOf(project) });
    await untilWritable(page);
    const release = await holdMoves(page, 'abort');
    await page.getByTestId(`task-card-${task.id}`).dragTo(page.getByTestId('column-in_progress'));
    await page.getByRole('link', { name: 'Schedules' }).click();
    await page.getByRole('heading', { level: 1, name: 'Schedules' }).waitFor();
    await seesInPassing(page, '“Late” could not be moved to In progress', release);
  });
});

/** Changes of tasks reach the server, or fail, when the function is called that it gives. */
async function holdMoves(page: Page, end: 'continue' | 'abort'): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route('**/api/tasks/*', async (route) => {
    await promise;
    await route[end]();
  });
  return resolve;
}

/** The server does not answer the page's small request, and gives no code of this name, until `isCutOff` is false. */
async function cutOff(page: Page, code: RegExp) {
  const probes = { isCutOff: true, refused: 0, answered: 0 };
  const end = (route: Route) => (probes.isCutOff ? route.abort('internetdisconnected') : route.continue());
  await page.route((url) => code.test(url.pathname), end);
  await page.route(/^https?:\/\/[^/]+\/$/, (route) => {
    if (route.request().method() === 'HEAD') probes[probes.isCutOff ? 'refused' : 'answered'] += 1;
    return end(route);
  });
  return probes;
}

test('changes of others appear without a reload', async () => {
  const project = await newProject('Live');
  const page = await web.signedIn({ locale: 'en', path: boardOf(project) });
  await page.getByText('No tasks yet').waitFor();
  const task = await newTask(project, { title: 'From outside', status: 'todo' });
  await cardIn(page, 'todo', task).waitFor();
  await web.owner.call(taskSchema, 'PATCH', `/tasks/${task.id}`, { version: 1, status: 'in_progress' });
  await cardIn(page, 'in_progress', task).waitFor();
  await web.owner.call(z.undefined(), 'DELETE', `/tasks/${task.id}`);
  await page.getByText('No tasks yet').waitFor();
});

test('a viewer can read, and has no controls to change anything', async () => {
  const project = await newProject('Viewer');
  const task = await newTask(project, { title: 'Look only', status: 'todo' });
  const person = { id: 'viewer1', passkey: 'viewer-has-a-passkey' };
  await web.owner.call(z.unknown(), 'POST', '/agents', {
    id: person.id,
    name: 'Mori',
    type: 'human',
    accessLevel: 'viewer',
  });
  await web.owner.call(z.unknown(), 'POST', `/agents/${person.id}/passkey`, { passkey: person.passkey });
  await web.owner.call(membershipSchema, 'PUT', `/projects/${project.id}/agents/${person.id}`);
  const page = await web.signedIn({ locale: 'en', as: person, path: boardOf(project) });
  await page.getByTestId(`task-card-${task.id}`).click();
  await page.locator('[data-testid=task-title]:disabled').waitFor();
  await expect.poll(() => page.getByTestId('task-save').count()).toBe(0);
  await page.keyboard.press('Escape');
  await expect.poll(() => page.getByTestId('task-new').count()).toBe(0);
});

test('a board shows more tasks than one page of the API, and one of them moves', async () => {
  const project = await newProject('Many');
  const statuses = ['backlog', 'todo', 'in_progress', 'blocked', 'done'] as const;
  for (let from = 0; from < 300; from += 50)
    await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        newTask(project, {
          title: `Task ${from + index}`,
          status: statuses[(from + index) % statuses.length] ?? 'todo',
        }),
      ),
    );
  const page = await web.signedIn({ locale: 'en', path: '/projects' });
  await page.getByTestId(`project-${project.id}`).click();
  await page.locator('[data-testid^=task-card-]').nth(299).waitFor({ state: 'attached' });
  await untilWritable(page);
  const card = page.getByTestId('column-todo').locator('[data-testid^=task-card-]').first();
  const id = (await card.getAttribute('data-testid'))?.slice('task-card-'.length) ?? '';
  await card.getByRole('link').focus();
  await page.keyboard.press('Shift+ArrowRight');
  // The benchmark `page` measures the speed; this test checks only that it works.
  await cardIn(page, 'in_progress', { id }).waitFor();
});
