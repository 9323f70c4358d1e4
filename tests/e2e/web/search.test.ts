import { projectSearchSchema } from '@aizuchi/shared/contract/search';
import { type Task, taskSchema } from '@aizuchi/shared/contract/task';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { ChatWorld } from './support/chat-world.ts';
import { expectGoodLook, LOOKS } from './support/look.ts';
import { useWeb } from './support/web.ts';

const web = useWeb();

let world: ChatWorld;
let task: Task;
beforeAll(async () => {
  world = await ChatWorld.make(
    web,
    'prj_search',
    { id: 'agt_search', name: 'Analysis Worker' },
    '家計簿 API',
  );
  const { id } = world.project;
  const create = (title: string, description: string) =>
    web.owner.call(taskSchema, 'POST', `/projects/${id}/tasks`, { title, description });
  task = await create(
    '締め日が 1 日ずれる件を直す',
    '月末の締め日を UTC で切っている。口座の時刻帯で決める。',
  );
  await create('回帰テストを直す', 'The closing day (締め日) of an account.');
  await create('CSV 取り込みの文字コードを自動で判定する', '');
  await web.owner.importMemory('agt_search', id, [
    {
      createdAt: '2026-11-14T15:20:00Z',
      clientId: 'meeting',
      actor: '高橋',
      userText: '締め日は口座の時刻帯で決める。時刻帯のない口座は東京とみなす。',
      sourceRef: 'minutes-1',
    },
    {
      createdAt: '2026-10-02T09:00:00Z',
      clientId: 'meeting',
      actor: '高橋',
      userText: '月末の締めは 25 日ではなく末日。',
      sourceRef: 'minutes-2',
    },
  ]);
  await world.post('締め日が 1 日ずれます。原因を調べてください。');
  await untilFound('締め日', 'chat');
});

/** Memory follows the answers of a chat. */
async function untilFound(query: string, kind: 'chat'): Promise<void> {
  const found = await web.owner.call(projectSearchSchema, 'POST', `/projects/${world.project.id}/search`, {
    query,
  });
  if (found.counts[kind] === 0) return untilFound(query, kind);
}

async function opened(page: Page, words: string): Promise<void> {
  await page.getByTestId('search').click();
  await page.getByTestId('command-menu').getByRole('combobox').and(page.locator(':focus')).waitFor();
  await page.keyboard.type(words);
}

/** By the keyboard alone. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  const focused = target.and(page.locator(':focus'));
  for (let presses = 0; presses < 10 && (await focused.count()) === 0; presses += 1)
    await page.keyboard.press('Tab');
  await focused.waitFor();
}

const hit = (page: Page, kind: string) => page.locator(`[data-testid^="hit-${kind}-"]`);

describe('the search of a project', () => {
  test.each(LOOKS)('finds memories, tasks and messages: $locale, $width px', async ({ locale, width }) => {
    const page = await web.signedIn({ locale, width, path: `/projects/${world.project.id}` });
    await opened(page, '締め日');
    await hit(page, 'chat').first().waitFor();
    await expect.poll(() => hit(page, 'memory').count()).toBe(2);
    await expect.poll(() => hit(page, 'task').count()).toBe(2);
    await expect
      .poll(() => hit(page, 'memory').first().locator('mark').allTextContents())
      .toContain('締め日');
    await hit(page, 'memory').first().hover();
    await expectGoodLook(page, `search-${locale}-${width}`);
  });

  test('arrows, Tab and Enter: a kind alone, and the message that it opens', async () => {
    const page = await web.signedIn({ locale: 'en', path: `/projects/${world.project.id}` });
    await opened(page, '締め日');
    await hit(page, 'chat').first().waitFor();
    // A part of the memory may be late, and Tab goes only to kinds of which something was found.
    await expect.poll(() => hit(page, 'memory').count()).toBe(2);
    await expect.poll(() => hit(page, 'task').count()).toBe(2);
    for (const kind of ['memory', 'task', 'chat']) {
      await page.keyboard.press('Tab');
      await page.getByTestId(`search-kind-${kind}`).and(page.locator('[aria-pressed=true]')).waitFor();
    }
    await expect.poll(() => hit(page, 'memory').count()).toBe(0);
    await page.getByTestId('hit-preview').getByText('原因を調べてください').waitFor();
    await page.keyboard.press('Enter');
    await page.getByTestId('chat-panel').waitFor();
    await expect.poll(() => new URL(page.url()).searchParams.get('agent')).toBe('agt_search');
    const message = new URL(page.url()).searchParams.get('message');
    await page.getByTestId(`chat-message-${message}`).waitFor();
  });

  test('a task is found at once by a part of its title, and opens', async () => {
    const page = await web.signedIn({ locale: 'ja', path: `/projects/${world.project.id}` });
    await opened(page, 'ずれる件を');
    const found = page.getByTestId(`hit-task-${task.id}`);
    await found.waitFor();
    // What is found besides comes above it, and would move it away from under the pointer.
    await page.getByText('探しています').waitFor({ state: 'detached' });
    await found.click();
    await page.waitForURL(`**task=${task.id}`);
  });

  test('a memory that was not said in a chat shows its text in the place of the list on a narrow page', async () => {
    const page = await web.signedIn({ locale: 'ja', width: 360, path: `/projects/${world.project.id}` });
    await opened(page, '時刻帯のない口座');
    await hit(page, 'memory').first().click();
    const preview = page.getByTestId('hit-preview');
    await preview.getByText('東京とみなす').waitFor();
    await expectGoodLook(page, 'search-memory-ja-360');
    await preview.getByRole('button').and(page.locator(':focus')).press('Enter');
    await preview.waitFor({ state: 'detached' });
    await page.getByRole('combobox').and(page.locator(':focus')).press('Enter');
    await preview.waitFor();
    await page.keyboard.press('Escape');
    await preview.waitFor({ state: 'detached' });
    await hit(page, 'memory').first().waitFor();
    await page.getByRole('combobox').and(page.locator(':focus')).press('Escape');
    await page.getByTestId('command-menu').waitFor({ state: 'detached' });
  });

  test('what is typed while the menu is loaded belongs to it, not to the page', async () => {
    const page = await web.signedIn({ locale: 'en' });
    const { promise: isHeld, resolve: letThrough } = Promise.withResolvers<void>();
    await page.route('**/CommandMenu*.js', async (route) => {
      await isHeld;
      await route.fallback();
    });
    await page.goto(`/projects/${world.project.id}`);
    await page.getByTestId('task-new').waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('cat');
    await expectGoodLook(page, 'search-early-en');
    letThrough();
    await page.getByTestId('command-menu').waitFor();
    const field = page.getByRole('combobox');
    await field.and(page.locator(':focus')).waitFor();
    await page.keyboard.type('alog');
    await expect.poll(() => field.inputValue()).toBe('catalog');
    await expect.poll(() => page.getByTestId('task-create').count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.getByTestId('command-menu').waitFor({ state: 'detached' });
  });

  test('nothing is lost of what is typed while the menu comes', async () => {
    const page = await web.signedIn({ locale: 'en', path: `/projects/${world.project.id}` });
    await page.getByTestId('task-new').waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('catalog', { delay: 40 });
    await expect.poll(() => page.getByRole('combobox').inputValue()).toBe('catalog');
  });

  test('what is chosen in a project while another page is on its way opens in the project', async () => {
    const page = await web.signedIn({ locale: 'en' });
    const { promise: isHeld, resolve: letThrough } = Promise.withResolvers<void>();
    await page.route('**/InboxPage*.js', async (route) => {
      await isHeld;
      await route.fallback();
    });
    await page.goto(`/projects/${world.project.id}`);
    await page.getByTestId('task-new').waitFor();
    await page.getByRole('link', { name: 'Inbox' }).click();
    await page.keyboard.press('Control+k');
    await page.getByTestId('command-menu').getByRole('combobox').and(page.locator(':focus')).waitFor();
    await page.keyboard.type('> Analysis');
    // Other tests make agents of this name, which are listed in other projects.
    await page.getByRole('option', { name: 'Analysis Worker', selected: true }).waitFor();
    await page.keyboard.press('Enter');
    letThrough();
    await page.waitForURL(`**/projects/${world.project.id}?agent=agt_search`);
    await page.getByRole('heading', { name: 'Analysis Worker' }).waitFor();
  });

  test('outside a project it says where tasks, chats and memories are searched', async () => {
    const page = await web.signedIn({ locale: 'ja', path: '/inbox' });
    await opened(page, 'ぽぽぽ');
    await page.getByText('プロジェクトを開くと検索できます').waitFor();
    await expectGoodLook(page, 'search-outside-ja');
  });

  test('says that nothing was found, and shows commands alone after >', async () => {
    const page = await web.signedIn({ locale: 'ja', path: `/projects/${world.project.id}` });
    await opened(page, 'ぽぽぽ');
    await page.getByText('見つかりません').waitFor();
    await page.getByRole('combobox').fill('> 受信');
    await page.getByRole('option', { name: '受信箱' }).waitFor();
    await expect.poll(() => page.locator('[data-testid^="hit-"]').count()).toBe(0);
  });

  test('a search that fails says so, and can be made again', async () => {
    const page = await web.signedIn({ locale: 'ja', path: `/projects/${world.project.id}` });
    // Only these calls: a connection that comes back would be noticed by the page itself.
    await page.route('**/search', (route) => route.abort());
    await opened(page, '時刻帯');
    await page.getByText('検索できませんでした').waitFor();
    await expectGoodLook(page, 'search-failed-ja');
    await expect.poll(() => page.getByText('見つかりません').count()).toBe(0);
    await page.unroute('**/search');
    const again = page.getByRole('alert').getByRole('button');
    await tabTo(page, again);
    await page.keyboard.press('Enter');
    await hit(page, 'memory').first().waitFor();
    await page.getByRole('combobox').and(page.locator(':focus')).waitFor();
  });

  test('Enter on a button of the menu presses it, and not what is selected in the list', async () => {
    const page = await web.signedIn({ locale: 'en', path: `/projects/${world.project.id}` });
    await opened(page, '締め日');
    await hit(page, 'memory').first().waitFor();
    const kind = page.getByTestId('search-kind-memory');
    await kind.press('Enter');
    await kind.and(page.locator('[aria-pressed=true]')).waitFor();
    await page.getByTestId('command-menu').getByRole('button', { name: 'Close' }).press('Enter');
    await page.getByTestId('command-menu').waitFor({ state: 'detached' });
  });

  test.each(LOOKS)('says what is missing beside what was found: $locale, $width px', async (look) => {
    const { locale, width } = look;
    const page = await web.signedIn({ locale, width, path: `/projects/${world.project.id}` });
    await page.route('**/search', async (route) => {
      const response = await route.fetch();
      const found = projectSearchSchema.parse(await response.json());
      await route.fulfill({ response, json: { ...found, degraded: ['collector_late'] } });
    });
    await opened(page, '締め日');
    await hit(page, 'memory').first().waitFor();
    await page.getByText(locale === 'ja' ? '時間内に返らなかった' : 'did not answer in time').waitFor();
    const wider = 'document.querySelector("[cmdk-list]").getBoundingClientRect().right - innerWidth';
    expect(await page.evaluate<number>(wider)).toBeLessThanOrEqual(0);
    await expectGoodLook(page, `search-late-${locale}-${width}`);
  });
});
