import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { startChatResultSchema } from '@aizuchi/shared/contract/chat';
import { projectSchema } from '@aizuchi/shared/contract/project';
import { taskSchema } from '@aizuchi/shared/contract/task';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { expectNoViolations } from './support/axe.ts';
import { ChatWorld } from './support/chat-world.ts';
import { expectGoodLook } from './support/look.ts';
import { screenshot } from './support/screenshot.ts';
import { useOwnWeb } from './support/web.ts';

const web = useOwnWeb();
const BUDGET_BYTES = 195_000;
const servicesSchema = z.array(z.object({ name: z.string(), pid: z.number() }));

/** Ctrl+K two times; the page draws between them, but no timer runs. */
const PRESS_TWICE = `(async () => {
  const init = { key: 'k', ctrlKey: true, bubbles: true };
  const press = () => document.body.dispatchEvent(new KeyboardEvent('keydown', init));
  press();
  await null;
  press();
})()`;
const startChat = ({ project, agentId }: ChatWorld) =>
  web.owner.call(startChatResultSchema, 'POST', `/projects/${project.id}/agents/${agentId}/chat/start`, {
    viewerId: 'test',
  });
const avatarIn = (page: Page, { agentId }: Pick<ChatWorld, 'agentId'>, state: string) =>
  page.locator(`[data-testid="agent-avatar-${agentId}"][data-state="${state}"]`);

/** How often Tab is pressed until this has the focus. */
async function stopsUntil(page: Page, wanted: Locator): Promise<number> {
  for (let stops = 1; stops <= 30; stops += 1) {
    await page.keyboard.press('Tab');
    if ((await wanted.count()) > 0) return stops;
  }
  throw new Error('It was not reached with 30 stops.');
}

/** Without waiting for this process between them: a sequence of keys ends after a second. */
const pressAtOnce = (page: Page, keys: string) =>
  Promise.all([...keys].map((key) => page.keyboard.press(key)));

describe('the shell', () => {
  test('a project page loads at most 195 kB of JavaScript (gz)', async () => {
    const page = await web.signedIn();
    await page.getByTestId('project-prj_welcome').waitFor();
    let bytes = 0;
    const counted: Promise<void>[] = [];
    const fresh = await web.page({ sameAs: page });
    // Files that the page fetches later, when it is idle, do not count.
    await fresh.addInitScript('window.requestIdleCallback = () => 0;');
    fresh.on('response', (response) => {
      if (!new URL(response.url()).pathname.endsWith('.js')) return;
      counted.push(
        response.body().then((body) => {
          bytes += gzipSync(body).byteLength;
        }),
      );
    });
    await fresh.goto('/projects/prj_welcome');
    await fresh.locator('[data-testid^="agent-avatar-"]').first().waitFor();
    await Promise.all(counted);
    console.log(`first load of a project page: ${(bytes / 1_000).toFixed(1)} kB of JavaScript (gz)`);
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThanOrEqual(BUDGET_BYTES);
  });

  test('Tab begins at the top; the avatars are one stop, and the tabs are one', async () => {
    const page = await web.signedIn({ locale: 'en', path: '/projects/prj_welcome' });
    const focused = page.locator(':focus');
    const avatars = page.locator('[data-testid^="agent-avatar-"]');
    const tabs = page.getByRole('navigation', { name: 'Pages of the project' });
    const tab = (name: string) => tabs.getByRole('link', { name }).and(focused);
    await avatars.first().waitFor();
    // The last of the stop comes when the page knows who reads it.
    await page.getByTestId('project-add-agent').waitFor();
    const skip = page.getByRole('link', { name: 'Skip to content' });
    expect(await stopsUntil(page, skip.and(focused))).toBe(1);
    expect(await stopsUntil(page, avatars.and(focused))).toBe(2);
    await page.keyboard.press('End');
    await page.getByTestId('project-add-agent').and(focused).waitFor();
    await page.keyboard.press('ArrowRight');
    await avatars.first().and(focused).waitFor();
    expect(await stopsUntil(page, tabs.locator(':focus'))).toBeLessThanOrEqual(6);
    await tab('Board').waitFor();
    await page.keyboard.press('End');
    await tab('Settings').waitFor();
    await page.keyboard.press('ArrowRight');
    await tab('Board').waitFor();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/conversations');
    await tab('Conversations').waitFor();
    await page.keyboard.press('Home');
    await tab('Board').waitFor();
    await page.keyboard.press('Tab');
    expect(await tabs.locator(':focus').count()).toBe(0);
    await skip.focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => new URL(page.url()).hash).toBe('#content');
    // The link that leads to another page goes away with its page.
    await page.goto('/projects');
    await page.getByTestId('project-prj_welcome').click();
    await page.waitForURL('**/projects/prj_welcome');
    // The board is the last that comes.
    await page.getByTestId('column-todo').waitFor();
    await page.keyboard.press('Tab');
    await skip.and(focused).waitFor();
  });

  test('Ctrl+K finds projects, agents and actions', async () => {
    const page = await web.signedIn({ locale: 'en', path: '/projects/prj_welcome' });
    await page.locator('[data-testid^="agent-avatar-"]').first().waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').waitFor();
    await expectGoodLook(page, 'commands-en');
    await page.keyboard.type('agt_welcome');
    await page.keyboard.press('Enter');
    await page.getByTestId('chat-panel').waitFor();
    await page.keyboard.press('Control+k');
    // Closed and opened again, before the first closing has given the focus back.
    await page.evaluate(PRESS_TWICE);
    await page.keyboard.type('inbox');
    await expect.poll(() => page.getByRole('combobox').inputValue()).toBe('inbox');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/inbox');
    await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
    // Outside of a project, too.
    await page.keyboard.press('Control+k');
    await page.keyboard.type('agt_welcome_guide');
    await page.getByRole('option', { name: 'しるべ', exact: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/agents/agt_welcome_guide');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('memory');
    await page.getByRole('option', { name: 'しるべ' }).click();
    await page.waitForURL('**/memory/agt_welcome_guide');
    await page.getByRole('heading', { level: 1 }).first().click();
    await page.keyboard.type('?');
    await page.getByTestId('key-sheet').getByText('Search and commands').waitFor();
    await expectGoodLook(page, 'keys-en');
  });

  test('sequences of two keys open other pages, but not while a person writes', async () => {
    const page = await web.signedIn({ locale: 'en', path: '/projects/prj_welcome/settings' });
    const name = page.locator('input[name=name]');
    // It is disabled until the page knows who reads it.
    await name.click();
    await page.keyboard.type('gi');
    await expect.poll(() => name.inputValue()).toMatch(/gi$|^gi/);
    expect(await page.evaluate('location.pathname')).toBe('/projects/prj_welcome/settings');
    await page.getByRole('heading', { level: 1 }).click();
    await pressAtOnce(page, 'gb');
    await page.waitForURL('**/projects/prj_welcome');
    await pressAtOnce(page, 'gi');
    await page.waitForURL('**/inbox');
  });

  test.each(['ja', 'en'] as const)('an unknown address shows an error (%s)', async (locale) => {
    const page = await web.signedIn({ locale, theme: 'dark', path: '/nowhere' });
    await page.getByText(locale === 'ja' ? 'ページが見つかりません' : 'There is no such page').waitFor();
    await expectNoViolations(page);
  });

  test('a menu that is pressed before its code is there comes with it', async () => {
    const page = await web.signedIn({ locale: 'en' });
    // Nothing is loaded ahead.
    await page.addInitScript('window.requestIdleCallback = () => 0;');
    const menu = page.getByTestId('account-menu');
    const letThrough = await held(page, '**/surfaces-*.js');
    await page.goto('/projects/prj_welcome');
    await menu.click();
    letThrough();
    await page.getByRole('menu').waitFor();
    await expect.poll(() => menu.getAttribute('aria-expanded')).toBe('true');
    await page.keyboard.press('Escape');
    await menu.and(page.locator(':focus')).waitFor();
  });

  test('a chat that is opened before its code is there shows its column, and says that it loads', async () => {
    const page = await web.signedIn({ locale: 'en' });
    const letThrough = await held(page, '**/ChatPanel-*.js');
    await page.goto('/projects/prj_welcome');
    await page.getByTestId('agent-avatar-agt_welcome_guide').click();
    const panel = page.getByTestId('chat-panel');
    await panel.getByText('Loading').waitFor();
    await panel.getByRole('button', { name: 'Close' }).click();
    await panel.waitFor({ state: 'detached' });
    await page.getByTestId('agent-avatar-agt_welcome_guide').click();
    await panel.getByText('Loading').waitFor();
    letThrough();
    await page.locator('[data-testid=chat-input]:focus').waitFor();
  });

  test('projects are listed while the read of what happens now hangs', async () => {
    const page = await web.signedIn({ locale: 'en' });
    await held(page, '**/api/overview');
    await page.goto('/projects');
    await page.getByTestId('project-prj_welcome').waitFor();
  });

  test('code that a change of the network has lost leaves the page, and comes with the next one', async () => {
    const page = await web.signedIn({ width: 1700 });
    await page.getByTestId('switcher').waitFor();
    const fresh = await web.page({ sameAs: page });
    let isLost = true;
    await fresh.route(/\/assets\/(?:Switcher|BackgroundWork)-[^/]*\.js$/, (route) =>
      isLost ? route.abort('internetdisconnected') : route.continue(),
    );
    const lost = ['Switcher', 'BackgroundWork'].map((name) =>
      fresh.waitForEvent('requestfailed', (request) => request.url().includes(name)),
    );
    await fresh.goto('/projects');
    await Promise.all(lost);
    await fresh.getByTestId('project-prj_welcome').waitFor();
    expect(await fresh.getByTestId('switcher').count()).toBe(0);
    isLost = false;
    await fresh.getByTestId('project-prj_welcome').click();
    await fresh.getByTestId('switcher').waitFor();
    expect(new URL(fresh.url()).pathname).toBe('/projects/prj_welcome');
  });

  test('an empty inbox says that it is empty', async () => {
    const page = await web.signedIn({ locale: 'ja', path: '/inbox' });
    await page.getByText('待っているものはありません').waitFor();
    await screenshot(page, 'inbox-empty-ja');
    await page.getByRole('link', { name: '片付けたもの' }).click();
    await page.getByText('片付けたものはありません').waitFor();
    await screenshot(page, 'inbox-put-away-empty-ja');
    await expectNoViolations(page);
  });
});

/**
 * Holds the answers of these requests until the function is called that it gives. The handler stays: one that is removed
 * may take the requests with it that it holds.
 */
async function held(page: Page, url: string): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(url, async (route) => {
    await promise;
    await route.fallback();
  });
  return resolve;
}

describe('live', () => {
  // A new agent for each test: an agent that an earlier test started may still run.
  const makeWorld = (name: string) =>
    ChatWorld.make(web, `prj_${name}`, { id: `agt_${name}`, name: 'Reviewer' });

  test("an agent's ring changes without a reload", async () => {
    const world = await makeWorld('ring');
    const page = await web.signedIn({ locale: 'en' });
    const letThrough = await held(page, '**/api/auth/me');
    await page.goto(`/projects/${world.project.id}`);
    await avatarIn(page, world, 'none').waitFor();
    await page.waitForFunction('document.fonts.ready.then(() => true)');
    const place = await avatarIn(page, world, 'none').boundingBox();
    // What stands to the right of it comes when the page knows who reads it.
    letThrough();
    await page.getByTestId('project-add-agent').waitFor();
    await page.getByTestId('account-menu').waitFor();
    expect(await avatarIn(page, world, 'none').boundingBox()).toEqual(place);
    await startChat(world);
    await avatarIn(page, world, 'ready').waitFor();
    expect(await avatarIn(page, world, 'ready').boundingBox()).toEqual(place);
    await screenshot(page, 'avatars-ready-en');
    await expectNoViolations(page);
    await world.end();
    await avatarIn(page, world, 'none').waitFor();
  });

  test('a built-in agent is started when the pointer rests on its avatar, and not when it passes', async () => {
    const world = await makeWorld('rested');
    const { project, agentId } = world;
    await web.owner.call(z.unknown(), 'POST', '/agents', { id: 'agt_passed', type: 'ai', name: 'Passed' });
    await web.owner.call(z.unknown(), 'PUT', `/projects/${project.id}/agents/agt_passed`);
    const page = await web.signedIn({ locale: 'en', path: `/projects/${project.id}` });
    const [passed, rested] = [
      avatarIn(page, { agentId: 'agt_passed' }, 'none'),
      avatarIn(page, world, 'none'),
    ];
    await rested.waitFor();
    // In one step of the page: on a busy machine two moves from outside are so far apart that the first is a rest.
    await page.evaluate(`for (const type of ['pointerover', 'pointerout'])
      document
        .querySelector('[data-testid="agent-avatar-agt_passed"]')
        .dispatchEvent(new PointerEvent(type, { bubbles: true, pointerType: 'mouse' }))`);
    await rested.hover();
    await avatarIn(page, world, 'ready').waitFor();
    expect(await passed.count(), agentId).toBe(1);
  });

  test('a pointer that rests before the page knows what its agent does starts it, too', async () => {
    const world = await makeWorld('rested_early');
    const page = await web.signedIn({ locale: 'en' });
    const letThrough = await held(page, '**/agent-sessions');
    await page.goto(`/projects/${world.project.id}`);
    const avatar = page.getByTestId(`agent-avatar-${world.agentId}`);
    await avatar.hover();
    letThrough();
    await avatarIn(page, world, 'ready').waitFor();
  });

  test('the page reconnects to a killed server and misses nothing', async () => {
    const world = await makeWorld('killed');
    const page = await web.signedIn({ locale: 'en', path: `/projects/${world.project.id}` });
    await avatarIn(page, world, 'none').waitFor();
    const file = join(web.product.environment.AIZUCHI_HOME ?? '', 'run', 'services.json');
    const services = servicesSchema.parse(JSON.parse(await readFile(file, 'utf8')));
    process.kill(services.find(({ name }) => name === 'rest-api')?.pid ?? Number.NaN, 'SIGKILL');
    await expect
      .poll(() =>
        startChat(world).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    await avatarIn(page, world, 'ready').waitFor();
    await world.end();
    await avatarIn(page, world, 'none').waitFor();
  });

  test('without a socket the page polls, and shows that it tries to reconnect', async () => {
    const world = await makeWorld('polled');
    const page = await web.signedIn({ locale: 'en' });
    await page.routeWebSocket('**/api/ws', (socket) => void socket.close({ code: 1011 }));
    await page.goto(`/projects/${world.project.id}`);
    await page.getByText('Connection to the server lost.').waitFor();
    await screenshot(page, 'connection-lost-en');
    await expectNoViolations(page);
    // What says so lies over the page: without it everything is where it was.
    const strip = page.getByText('Connection to the server lost.');
    const places = () =>
      Promise.all(
        ['theme-switch', `agent-avatar-${world.agentId}`, 'column-todo', 'column-done'].map((testId) =>
          page.getByTestId(testId).boundingBox(),
        ),
      );
    for (const testId of ['project-add-agent', 'account-menu', 'column-done'])
      await page.getByTestId(testId).waitFor();
    await page.waitForFunction('document.fonts.ready.then(() => true)');
    const before = await places();
    await strip.evaluate((one) => one.style.setProperty('display', 'none'));
    expect(await places()).toEqual(before);
    await strip.evaluate((one) => one.style.removeProperty('display'));
    await startChat(world);
    await avatarIn(page, world, 'ready').waitFor();
    // A server that does not answer at all is asked by one small request at a time. It goes away with one of these:
    // reads that it left unanswered would be made again.
    const asked = { probes: 0, reads: 0 };
    await page.route(/^https?:\/\/[^/]+\/(?:api\/.*)?$/, (route) => {
      if (route.request().method() === 'HEAD') asked.probes += 1;
      else if (asked.probes > 0) asked.reads += 1;
      else return route.continue();
      return route.abort('connectionrefused');
    });
    await expect.poll(() => asked.probes).toBeGreaterThan(2);
    expect(asked.reads).toBeLessThan(asked.probes);
  });

  test('Esc closes one element and restores the focus', async () => {
    const world = await makeWorld('focus');
    const page = await web.signedIn({ locale: 'en', path: `/projects/${world.project.id}` });
    const opener = (testId: string) => page.getByTestId(testId);
    const hasFocus = (testId: string) => opener(testId).and(page.locator(':focus')).waitFor();
    const avatar = `agent-avatar-${world.agentId}`;
    await opener(avatar).press('Enter');
    await hasFocus('chat-input');
    await opener('task-new').press('Enter');
    await hasFocus('task-title');
    await page.keyboard.type('Half a title');
    await page.keyboard.press('Escape');
    await hasFocus('task-new');
    await opener('task-new').press('Enter');
    expect(await opener('task-title').inputValue()).toBe('Half a title');
    await opener('task-create').getByRole('button', { name: 'Cancel' }).click();
    await opener('task-new').press('Enter');
    expect(await opener('task-title').inputValue()).toBe('');
    await page.keyboard.press('Escape');
    await opener('chat-input').press('Escape');
    await opener('chat-panel').waitFor({ state: 'detached' });
    await hasFocus(avatar);
  });

  test('Esc closes the panel that has the focus, of a task and a chat side by side', async () => {
    const world = await makeWorld('beside');
    const task = await web.owner.call(taskSchema, 'POST', `/projects/${world.project.id}/tasks`, {
      title: 'Side by side',
    });
    const page = await web.signedIn({ locale: 'en', path: `/projects/${world.project.id}` });
    const taskPanel = page.getByTestId('task-panel');
    const chatPanel = page.getByTestId('chat-panel');
    await page.getByTestId(`agent-avatar-${world.agentId}`).click();
    // A panel takes the focus after it has appeared.
    await page.getByTestId('chat-input').and(page.locator(':focus')).waitFor();
    await page.getByTestId(`task-card-${task.id}`).click();
    await page.getByTestId('task-comment').press('Escape');
    await taskPanel.waitFor({ state: 'detached' });
    expect(await chatPanel.count()).toBe(1);
    await page.getByTestId(`task-card-${task.id}`).click();
    await page.getByTestId('task-close').and(page.locator(':focus')).waitFor();
    await page.getByTestId('chat-input').press('Escape');
    await chatPanel.waitFor({ state: 'detached' });
    expect(await taskPanel.count()).toBe(1);
  });

  test('more agents than fit are in a menu', async () => {
    const project = await web.owner.call(projectSchema, 'POST', '/projects', { name: 'Many' });
    const names = [
      'Analysis Worker',
      'Backend Worker',
      'Docs Writer',
      'Reviewer',
      '高橋の補佐',
      'Link Checker',
    ];
    for (const name of names) {
      const { id } = await web.owner.call(z.object({ id: z.string() }), 'POST', '/agents', {
        name,
        type: 'ai',
      });
      await web.owner.call(z.unknown(), 'PUT', `/projects/${project.id}/agents/${id}`);
    }
    const page = await web.signedIn({
      locale: 'en',
      theme: 'dark',
      width: 1024,
      path: `/projects/${project.id}`,
    });
    await page.getByRole('button', { name: '2 more agents' }).click();
    await screenshot(page, 'agents-more-en-dark');
    await expectNoViolations(page);
    await page.getByRole('menuitem').last().click();
    await page.getByTestId('chat-panel').waitFor();

    // A board without tasks has no filter.
    await web.owner.call(z.unknown(), 'POST', `/projects/${project.id}/tasks`, { title: 'Anything' });
    const phone = await web.signedIn({ width: 360, path: `/projects/${project.id}` });
    await phone.getByTestId('project-add-agent').waitFor();
    await phone.getByTestId('task-filter-open').waitFor();
    await screenshot(phone, 'agents-more-ja-360');
    expect(await phone.evaluate('document.documentElement.scrollWidth')).toBe(360);

    const bar = phone.getByRole('navigation', { name: '主なページ' });
    const place = (name: string) => bar.getByRole('link', { name });
    const isAt = (name: string) => place(name).and(phone.locator('[aria-current="page"]')).waitFor();
    await isAt('ボード');
    expect(await bar.boundingBox()).toEqual({ x: 0, y: 724, width: 360, height: 56 });
    // What the bar leads to does not take the room of the name in the top bar.
    expect(await phone.getByRole('banner').getByRole('link', { name: '受信箱' }).count()).toBe(0);
    expect(await phone.getByTestId('theme-switch').count()).toBe(0);
    await expectGoodLook(phone, 'bottom-bar-ja-360');
    await place('受信箱').press('Enter');
    await phone.waitForURL('**/inbox');
    await isAt('受信箱');
    // Of the project that was open last; the chat lies over the bar.
    await place('チャット').tap();
    await phone.getByTestId('chat-panel').waitFor();
    await phone.getByTestId('chat-close').tap();
    await place('自分').tap();
    await phone.waitForURL('**/settings');
    await place('ボード').tap();
    await phone.waitForURL('**/projects/prj_*');
    await place('ホーム').tap();
    await phone.waitForURL('**/projects');
    await isAt('ホーム');
    await expectNoViolations(phone);
    expect(await phone.evaluate('document.documentElement.scrollWidth')).toBe(360);
  });
});
