import { createdAgentSchema } from '@aizuchi/shared/contract/agent';
import { membershipSchema, type Project, projectSchema } from '@aizuchi/shared/contract/project';
import {
  type CreateTaskBody,
  commentPageSchema,
  type Task,
  taskCommentSchema,
  taskPageSchema,
  taskSchema,
} from '@aizuchi/shared/contract/task';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { expectNoViolations } from './support/axe.ts';
import { expectGoodLook, LOOKS } from './support/look.ts';
import { screenshot } from './support/screenshot.ts';
import { useWeb } from './support/web.ts';

const web = useWeb();

const newProject = (name: string) => web.owner.call(projectSchema, 'POST', '/projects', { name });
const newTask = (project: Project, body: CreateTaskBody) =>
  web.owner.call(taskSchema, 'POST', `/projects/${project.id}/tasks`, body);
const read = ({ id }: Task) => web.owner.call(taskSchema, 'GET', `/tasks/${id}`);
const tasksOf = async (project: Project) =>
  (await web.owner.call(taskPageSchema, 'GET', `/projects/${project.id}/tasks`)).tasks;
const pathOf = (project: Project, task?: Task) => `/projects/${project.id}${task ? `?task=${task.id}` : ''}`;

async function newAgent(project: Project, name: string): Promise<string> {
  const { id } = await web.owner.call(createdAgentSchema, 'POST', '/agents', { name, type: 'ai' });
  await web.owner.call(membershipSchema, 'PUT', `/projects/${project.id}/agents/${id}`);
  return id;
}

/** Pastes a text into the field that has the focus. */
const paste = (page: Page, text: string) =>
  page.evaluate(`(() => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', ${JSON.stringify(text)});
    const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
    document.activeElement.dispatchEvent(event);
  })()`);

const titlesIn = (page: Page, column: Task['status']) =>
  page.getByTestId(`column-${column}`).getByRole('link').allTextContents();

describe('appearance', () => {
  let project: Project;
  let task: Task;

  beforeAll(async () => {
    project = await newProject('家計簿 API');
    const worker = await newAgent(project, 'Analysis Worker');
    const parent = await newTask(project, { title: '月末締めを正しくする', status: 'todo' });
    const before = await newTask(project, { title: '月末締めの仕様を決める', status: 'todo' });
    task = await newTask(project, {
      title: '回帰テストの失敗 3 件を直す',
      description: [
        '締め日が UTC で 1 日ずれるのが原因らしい。',
        '',
        '- [x] `rounding.test.ts` 端数処理を統一',
        '- [ ] `month-end.test.ts` 口座の時刻帯で作る',
      ].join('\n'),
      status: 'todo',
      priority: 'high',
      assigneeId: worker,
      parentId: parent.id,
      dependsOn: [before.id],
      labels: ['テスト', '月末'],
      dueDate: '2026-01-02',
    });
    await newTask(project, {
      title: '本番 DB 移行',
      dependsOn: [task.id],
      assigneeId: worker,
      status: 'todo',
    });
    await newTask(project, { title: 'うるう日の場合を足す', parentId: task.id, status: 'done' });
    await newTask(project, { title: 'Compare isolation levels', status: 'blocked' });
    for (const body of ['キーを入れました。`export` は急ぎません。', '**Done** with:\n\n1. one\n2. two'])
      await web.owner.call(taskCommentSchema, 'POST', `/tasks/${task.id}/comments`, { body });
  });

  test.each(LOOKS)('without violations in $locale, $width px', async (look) => {
    const suffix = `${look.locale}-${look.width}`;
    const page = await web.signedIn({ ...look, path: pathOf(project, task) });
    await page.getByTestId('task-activity').locator('article').nth(1).waitFor();
    await page.getByTestId('task-description-text').getByRole('checkbox').first().waitFor();
    await expectGoodLook(page, `task-${suffix}`);
    await page.getByTestId('task-pick-dependsOn').click();
    const choices = page.getByRole('listbox', {
      name: look.locale === 'ja' ? '先に必要なタスクを追加' : 'Add a task to wait for',
    });
    await choices.getByRole('option').first().waitFor();
    await expectGoodLook(page, `task-pick-${suffix}`);
    await page.keyboard.type('該当なし');
    await page.locator('[cmdk-item]').first().waitFor({ state: 'detached' });
    await expectGoodLook(page, `task-pick-none-${suffix}`);
    await page.goto(`${pathOf(project)}?view=agents`);
    await page.getByTestId('board-lanes').getByText('Analysis Worker').waitFor();
    await page.getByTestId('task-filter').waitFor();
    await expectGoodLook(page, `board-lanes-${suffix}`);
    await page.goto(`${pathOf(project)}?view=problems`);
    await page.getByTestId('board-problems').getByText('Compare isolation levels').waitFor();
    await page.getByTestId('task-filter').waitFor();
    await expectGoodLook(page, `board-problems-${suffix}`);
  });
});

test('a checklist is ticked, a comment calls somebody by keyboard, and the activity says it in words', async () => {
  const project = await newProject('Checklist');
  await newAgent(project, 'Worker A');
  const task = await newTask(project, { title: 'Tick me', description: '- [ ] one\n- [ ] two' });
  const page = await web.signedIn({ locale: 'en', path: pathOf(project, task) });
  await page.getByRole('checkbox', { name: 'two' }).check();
  await expect.poll(async () => (await read(task)).description).toBe('- [ ] one\n- [x] two');
  await page.getByText('1 of 2 ticked').waitFor();
  await page.getByTestId('task-comment').pressSequentially('Please look, @work');
  await page.getByTestId('task-mentions').getByText('Worker A').waitFor();
  await screenshot(page, 'task-mention-en');
  await expectNoViolations(page);
  await page.keyboard.press('Enter');
  const comment = page.getByTestId('task-comment');
  await expect.poll(() => comment.inputValue()).toBe('Please look, @Worker A ');
  await comment.pressSequentially('**now**');
  await expect
    .poll(() => page.getByTestId('task-comment').inputValue())
    .toBe('Please look, @Worker A **now**');
  await page.keyboard.press('Control+Enter');
  await page.getByTestId('task-activity').locator('article strong').getByText('now').waitFor();
  await expect.poll(() => page.getByTestId('task-comment').inputValue()).toBe('');
  await page.getByTestId('task-activity').getByText('changed the description').waitFor();
  const { comments } = await web.owner.call(commentPageSchema, 'GET', `/tasks/${task.id}/comments`);
  expect(comments.map(({ body }) => body)).toEqual(['Please look, @Worker A **now**']);
});

test('what would close a circle cannot be chosen; labels and parts are added one after the other', async () => {
  const project = await newProject('Relations');
  const task = await newTask(project, { title: 'Own' });
  await newTask(project, { title: 'Waiting', dependsOn: [task.id] });
  const free = await newTask(project, { title: 'Free' });
  const page = await web.signedIn({ locale: 'en', path: pathOf(project, task) });
  await page.getByTestId('task-pick-dependsOn').click();
  const circle = page.getByRole('option', { name: 'Waiting' });
  await circle.getByText('the two would form a circle').waitFor();
  await expect.poll(() => circle.getAttribute('aria-disabled')).toBe('true');
  await page.getByRole('option', { name: 'Free' }).click();
  await page.getByTestId('task-dependencies').getByRole('link', { name: 'Free' }).waitFor();
  await page.getByTestId('task-label').fill('urgent work');
  await page.getByTestId('task-label').press('Enter');
  await page.getByTestId('task-panel').getByText('urgent work', { exact: true }).waitFor();
  await page.getByTestId('task-add-part').click();
  const part = page.getByTestId('task-parts').getByTestId('quick-add');
  for (const title of ['Part one', 'Part two']) {
    await part.and(page.locator(':focus')).waitFor();
    await expect.poll(() => part.inputValue()).toBe('');
    await page.keyboard.type(title);
    await page.keyboard.press('Enter');
    await page.getByTestId('task-parts').getByRole('link', { name: title }).waitFor();
  }
  await page.getByText('0 of 2 done').waitFor();
  await expect
    .poll(() => read(task))
    .toMatchObject({ dependsOn: [free.id], labels: ['urgent work'], parts: { total: 2, done: 0 } });
});

test('tasks are added at the foot of a column, and from a pasted list after a look at it', async () => {
  const project = await newProject('Quick');
  await newTask(project, { title: 'There', status: 'todo' });
  const page = await web.signedIn({ locale: 'en', path: pathOf(project) });
  await page.getByTestId('quick-add-todo').click();
  await page.getByTestId('quick-add').fill('One');
  await page.keyboard.press('Enter');
  await page.getByTestId('column-todo').getByRole('link', { name: 'One' }).waitFor();
  const line = page.getByTestId('quick-add').and(page.locator(':focus'));
  await expect.poll(() => line.inputValue()).toBe('');
  await page.keyboard.type('Two');
  await page.keyboard.press('Enter');
  await expect.poll(() => titlesIn(page, 'todo')).toEqual(['There', 'One', 'Two']);
  await expect.poll(() => line.inputValue()).toBe('');
  await paste(page, 'Plan\n- [ ] Alpha\n  - [x] Beta\n- [ ] Gamma');
  await page.getByTestId('task-list').getByText('Beta').waitFor();
  await screenshot(page, 'task-list-en');
  await expectNoViolations(page);
  await page.getByTestId('task-list-add').click();
  await page.getByTestId('task-list').waitFor({ state: 'detached' });
  await expect.poll(() => titlesIn(page, 'todo')).toEqual(['There', 'One', 'Two', 'Alpha', 'Gamma']);
  const named = async (title: string) => (await tasksOf(project)).find((task) => task.title === title);
  const alpha = await named('Alpha');
  await expect.poll(() => named('Beta')).toMatchObject({ status: 'done', parentId: alpha?.id });
});

test('the filter stands in the address, and is there again after a reload', async () => {
  const project = await newProject('Filter');
  await newTask(project, { title: 'Mine', assigneeId: 'owner', labels: ['home'] });
  await newTask(project, { title: 'Mine too', assigneeId: 'owner' });
  await newTask(project, { title: 'Nobody has it' });
  const page = await web.signedIn({ locale: 'en', path: pathOf(project) });
  await page.getByTestId('task-filter-open').click();
  await page.getByTestId('filter-mine').click();
  await expect.poll(() => titlesIn(page, 'backlog')).toEqual(['Mine', 'Mine too']);
  await page.getByTestId('filter-label').selectOption('home');
  await expect.poll(() => titlesIn(page, 'backlog')).toEqual(['Mine']);
  await page.reload();
  await page.getByTestId('filter-clear').waitFor();
  await expect.poll(() => titlesIn(page, 'backlog')).toEqual(['Mine']);
  await page.getByTestId('filter-clear').click();
  await page.getByTestId('filter-find').fill('nobody');
  await expect.poll(() => titlesIn(page, 'backlog')).toEqual(['Nobody has it']);
  await page.waitForURL(/find=nobody/);
});

test('the dialog of a new task says what saving it does to the agent', async () => {
  const project = await newProject('Trigger');
  const worker = await newAgent(project, 'Worker A');
  await web.owner.call(z.unknown(), 'PATCH', `/projects/${project.id}`, { status: 'paused' });
  const page = await web.signedIn({ locale: 'en', path: pathOf(project) });
  await page.getByTestId('task-new').click();
  await page.getByTestId('task-title').fill('Start');
  await page.getByTestId('task-status').selectOption('in_progress');
  await page.getByTestId('task-assignee').selectOption(worker);
  await page.getByTestId('task-trigger').getByText('The project is paused: Worker A starts when').waitFor();
});
