import { questionPageSchema } from '@aizuchi/shared/contract/question';
import { runPageSchema } from '@aizuchi/shared/contract/run';
import { type Task, taskSchema } from '@aizuchi/shared/contract/task';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { PushBrowser, Receiver, signedAt } from '../../../packages/shared/test/notifications/receiver.ts';
import { HELD_MS } from '../../../packages/web/src/features/chat/composer/held-reply.ts';
import { CardPage, FREE, MANY, ONE } from './support/ask.ts';
import { expectNoViolations } from './support/axe.ts';
import { ChatPage } from './support/chat-world.ts';
import { expectGoodLook } from './support/look.ts';
import { PushedPage } from './support/pushed-page.ts';
import { screenshot } from './support/screenshot.ts';
import { ScriptedChat } from './support/scripted-world.ts';
import { useOwnWeb } from './support/web.ts';

const receiver = await Receiver.start();
const web = useOwnWeb({
  AIZUCHI_NOTIFY_HOSTS: receiver.host,
  AIZUCHI_PUBLIC_URL: 'http://aizuchi.example',
});
afterAll(() => receiver.stop());
const MORI = { id: 'mori', name: 'Mori', passkey: 'morning-glory' };
let scripted: ScriptedChat;

/** One agent for all tests: its next question is in its folder, and it asks when a message arrives. */
beforeAll(async () => {
  scripted = await ScriptedChat.make(web, 'asks', 'Backend Worker');
  await web.owner.call(z.unknown(), 'POST', '/agents', { ...MORI, passkey: undefined, type: 'human' });
  await web.owner.call(z.unknown(), 'POST', `/agents/${MORI.id}/passkey`, { passkey: MORI.passkey });
  await web.owner.call(z.unknown(), 'PUT', `/projects/${scripted.world.project.id}/agents/${MORI.id}`);
});
afterEach(async () => {
  await scripted.remove('ask.json');
});

const cards = async () =>
  (
    await web.owner.call(
      questionPageSchema,
      'GET',
      `/projects/${scripted.world.project.id}/questions?status=pending`,
    )
  ).questions;

async function asks(...questions: unknown[]): Promise<void> {
  await scripted.put('ask.json', JSON.stringify(questions));
  await scripted.world.post('Please.');
}

/** The answers as the agent reports them. */
const untilHeard = (heard: Record<string, string>) =>
  expect.poll(async () => (await scripted.world.contents()).at(-1)).toBe(`answered ${JSON.stringify(heard)}`);

async function blockedTask(): Promise<Task> {
  let task = await web.owner.call(taskSchema, 'POST', `/projects/${scripted.world.project.id}/tasks`, {
    title: 'Rehearse the production migration',
  });
  for (const status of ['todo', 'in_progress', 'blocked'])
    task = await web.owner.call(taskSchema, 'PATCH', `/tasks/${task.id}`, {
      version: task.version,
      status,
    });
  return task;
}

/** What is written is held for some seconds before it is sent. Here for good: a busy machine takes longer than that. */
const holdReplies = (page: Page) =>
  page.evaluate(`(() => {
    const { setTimeout } = window;
    window.setTimeout = (work, ms, ...rest) =>
      setTimeout(ms === ${HELD_MS} ? () => undefined : work, ms, ...rest);
  })()`);

async function openCard(page: Page): Promise<CardPage> {
  const card = new CardPage(page);
  await card.pending.waitFor();
  return card;
}

describe('a card', () => {
  test('is answered by keys from the empty composer; a draft survives a reload; it is shown once', async () => {
    const page = await web.signedIn({ locale: 'en', path: scripted.world.path });
    const chat = new ChatPage(page);
    await chat.untilReady('Send');
    await asks(ONE);
    const card = await openCard(page);
    await page.locator('[data-testid="chat-status"][data-status="waiting_for_person"]').waitFor();
    await page
      .locator(`[data-testid="agent-avatar-${scripted.world.agentId}"][data-state="waiting"]`)
      .waitFor();
    await expect.poll(() => page.getByTestId('inbox-badge').textContent()).toBe('1');
    await expect.poll(() => page.title()).toBe('(1) ASKS · Aizuchi');
    await expect
      .poll(() => page.locator('link[rel="icon"]').getAttribute('href'))
      .toContain('data:image/svg');
    await expect.poll(() => card.submit.isDisabled()).toBe(true);
    await screenshot(page, 'question-one-en');

    await chat.input.fill('2 reasons');
    await chat.input.press('3');
    await expect.poll(() => chat.input.inputValue()).toBe('2 reasons3');
    await chat.input.fill('');
    await chat.input.press('2');
    await expect.poll(() => chat.input.inputValue()).toBe('');
    await expect.poll(() => card.option(0, 2).getAttribute('data-chosen')).toBe('true');
    await expectGoodLook(page, 'question-chosen-en');

    await page.reload();
    await card.pending.waitFor();
    await expect.poll(() => card.all.count()).toBe(1);
    await expect.poll(() => card.option(0, 2).getAttribute('data-chosen')).toBe('true');
    await card.submit.click();
    await card.line('answered').waitFor();
    await untilHeard({ [ONE.question]: 'Settings table' });
    await expect.poll(() => card.line('answered').textContent()).toMatch(/Settings table.*You ·/);
    await expect.poll(() => card.all.count()).toBe(1);
    await page.getByTestId('inbox-badge').waitFor({ state: 'detached' });
    await page.reload();
    await card.line('answered').waitFor();
    await expect.poll(() => card.all.count()).toBe(1);
    await card.line('answered').locator('summary').click();
    await page.getByText(ONE.options[2]?.label ?? '').waitFor();
    await screenshot(page, 'question-unfolded-en');
    await expectNoViolations(page);
  });

  test('with several questions has a step for each: one choice, many choices, free text', async () => {
    const page = await web.signedIn({ locale: 'ja', width: 360, path: scripted.world.path });
    await asks(ONE, MANY, FREE);
    const card = await openCard(page);
    // A card is higher than the estimate of the list: the list must still scroll to its end.
    await expect.poll(() => new ChatPage(page).isAtEnd()).toBe(true);
    await screenshot(page, 'question-steps-ja-360');
    await card.option(0, 1).click();
    await card.submit.click();
    await card.option(1, 3).click();
    await card.option(1, 1).click();
    await expectGoodLook(page, 'question-many-ja-360');
    await card.submit.click();
    await expect.poll(() => card.submit.isDisabled()).toBe(true);
    await card.other(2).click();
    await expect.poll(() => card.submit.isDisabled()).toBe(true);
    await card.other(2).fill('切り捨て（税額だけ）');
    await screenshot(page, 'question-other-ja-360');
    await card.submit.click();
    await untilHeard({
      [ONE.question]: 'Environment variable',
      [MANY.question]: '単体, 画面',
      [FREE.question]: '切り捨て（税額だけ）',
    });
    await card.line('answered').last().waitFor();
    await screenshot(page, 'question-steps-answered-ja-360');
  });

  test('is answered by what is written in the composer, at once when the chat is closed', async () => {
    const page = await web.signedIn({ locale: 'en', path: scripted.world.path });
    const chat = new ChatPage(page);
    await asks(FREE);
    await openCard(page);
    await holdReplies(page);
    await chat.say('coffee please');
    await page.getByTestId('card-reply').getByText('coffee please').waitFor();
    await screenshot(page, 'question-reply-en');
    await expectNoViolations(page);
    // Closing the chat sends it at once.
    await page.getByTestId('chat-close').click();
    await untilHeard({ [FREE.question]: 'coffee please' });
  });

  test('takes what is written for the question that is shown, and gives it back as a message', async () => {
    const page = await web.signedIn({ locale: 'en', path: scripted.world.path });
    const chat = new ChatPage(page);
    await asks(ONE, FREE);
    const card = await openCard(page);
    await holdReplies(page);
    await scripted.remove('ask.json');
    await chat.say('coffee please');
    const reply = page.getByTestId('card-reply');
    await reply.getByText('Your answer to “Key store”: coffee please').waitFor();
    await expect.poll(() => card.other(0).inputValue()).toBe('coffee please');
    await page.getByText('2 of 2').waitFor();
    await expectGoodLook(page, 'question-part-en');
    await page.getByTestId('card-reply-undo').click();
    await reply.waitFor({ state: 'detached' });
    await page.getByText('1 of 2').waitFor();
    await expect.poll(() => card.other(0).inputValue()).toBe('');
    await expect.poll(() => scripted.world.contents()).toContain('coffee please');

    await chat.say('settings table');
    await reply.waitFor();
    await expect.poll(() => card.option(0, 2).getAttribute('data-chosen')).toBe('true');
    await chat.say('切り捨て');
    await reply.getByText('Sent with your other answers: 切り捨て').waitFor();
    await page.getByTestId('card-reply-undo').click();
    await reply.waitFor({ state: 'detached' });
    await expect.poll(() => card.other(1).inputValue()).toBe('');
    // Stored before the answer is sent: they are different calls, and the agent reads both messages in one turn.
    await expect.poll(() => scripted.world.contents()).toContain('切り捨て');
    await expect.poll(() => card.option(0, 2).getAttribute('data-chosen')).toBe('true');
    await chat.say('切り上げ');
    await reply.getByText('Sent with your other answers: 切り上げ').waitFor();
    await page.getByTestId('chat-close').click();
    const heard = JSON.stringify({ [ONE.question]: 'Settings table', [FREE.question]: '切り上げ' });
    await expect.poll(() => scripted.world.contents()).toContain(`answered ${heard}`);
    // The messages are its next turn: it must not ask in it what the next test lets it ask.
    await expect
      .poll(async () => (await scripted.world.contents()).at(-1))
      .toBe('echo: coffee please / 切り捨て');
  });

  test('shown to two people takes the first answer, and shows the other person who gave it', async () => {
    const [mine, hers] = [
      await web.signedIn({ locale: 'en', path: scripted.world.path }),
      await web.signedIn({ locale: 'en', as: MORI, path: scripted.world.path }),
    ];
    await asks(FREE);
    const [card, herCard] = [await openCard(mine), await openCard(hers)];
    await card.option(0, 2).click();
    await herCard.option(0, 1).click();
    await herCard.submit.click();
    await mine.getByText('Mori answered first:').waitFor();
    await expect.poll(() => card.pending.count()).toBe(0);
    await untilHeard({ [FREE.question]: '銀行丸め' });
    await screenshot(mine, 'question-answered-first-en');
    await expectNoViolations(mine);
  });

  test('stays open while rest-api and mcp-server are killed, and an answer given meanwhile arrives', async () => {
    const page = await web.signedIn({ locale: 'en', path: scripted.world.path });
    await asks(ONE);
    const card = await openCard(page);
    await scripted.world.killService('mcp-server');
    const killed = scripted.world.killService('rest-api');
    await card.option(0, 3).click();
    await card.submit.click();
    await killed;
    await untilHeard({ [ONE.question]: 'Key file on the host' });
    await expect.poll(() => card.pending.count()).toBe(0);
  });

  test('is the same card for an agent that was killed and restarted', async () => {
    const page = await web.signedIn({ locale: 'en', path: scripted.world.path });
    await asks(ONE);
    const card = await openCard(page);
    const [before] = await cards();
    const { project } = scripted.world;
    const running = async () => {
      const page = await web.owner.call(runPageSchema, 'GET', `/projects/${project.id}/runs?limit=5`);
      return page.runs.filter(({ state }) => state === 'running');
    };
    // Its Coordinator may report it after the first words of its agent.
    await expect.poll(running).toMatchObject([{ pid: expect.any(Number) }]);
    const [run] = await running();
    process.kill(run?.pid ?? Number.NaN, 'SIGKILL');
    await expect.poll(async () => (await running()).some(({ id }) => id !== run?.id)).toBe(true);
    expect((await cards()).map(({ toolUseId }) => toolUseId)).toEqual([before?.toolUseId]);
    await card.option(0, 1).click();
    await card.submit.click();
    await untilHeard({ [ONE.question]: 'Environment variable' });
    await expect.poll(() => card.pending.count()).toBe(0);
  });
});

describe('away from the chat', () => {
  test('the inbox has the card, and a notification leads to it', async () => {
    const page = await web.signedIn({ locale: 'en' });
    await page.addInitScript(`
      window.notices = [];
      window.Notification = class {
        static permission = localStorage.getItem('permission') ?? 'default';
        static requestPermission() {
          localStorage.setItem('permission', 'granted');
          this.permission = 'granted';
          return Promise.resolve('granted');
        }
        constructor(title, options) {
          this.title = title;
          this.body = options.body;
          window.notices.push(this);
        }
        close() { this.isClosed = true; }
      };
    `);
    // Names that come late are waited for: a notification is not written again.
    const names = Promise.withResolvers<void>();
    await page.route('**/api/agents?*', async (route) => {
      await names.promise;
      await route.fallback();
    });
    await page.goto('/settings/notifications');
    await page.locator('[data-testid="notification-state"][data-state="ask"]').waitFor();
    await screenshot(page, 'notifications-en');
    await expectNoViolations(page);
    await page.getByTestId('notification-ask').click();
    await page.locator('[data-testid="notification-state"][data-state="on"]').waitFor();

    await asks(ONE);
    await page.getByTestId('inbox-badge').waitFor();
    // Behind what would show one.
    await page.evaluate(`navigator.locks.request('aizuchi.notify', () => true)`);
    expect(await page.evaluate('window.notices.length')).toBe(0);
    names.resolve();
    await expect.poll(() => page.evaluate('window.notices.length')).toBe(1);
    await expect
      .poll(() => page.evaluate('window.notices[0].title'))
      .toBe('Backend Worker waits for your answer');
    await page.evaluate('window.notices[0].onclick()');
    await page.waitForURL(`**/projects/${scripted.world.project.id}?agent=*question=*`);
    await openCard(page);

    const task = await blockedTask();
    await page.getByRole('link', { name: 'Inbox' }).click();
    const card = await openCard(page);
    await page.getByTestId(`inbox-item-${task.id}`).waitFor();
    await screenshot(page, 'inbox-question-en');
    await expectNoViolations(page);
    await page.keyboard.press('j');
    await expect.poll(() => page.locator('article:focus').getAttribute('data-kind')).toBe('question');
    await page.keyboard.press('4');
    await card.other(0).and(page.locator(':focus')).waitFor();
    await page.keyboard.type('A vault');
    await page.keyboard.press('Enter');
    await untilHeard({ [ONE.question]: 'A vault' });
    await card.line('answered').waitFor();
    await expect.poll(() => page.evaluate('window.notices.every(({ isClosed }) => isClosed)')).toBe(true);
    const row = page.getByTestId(`inbox-item-${task.id}`);
    // In a zoomed window the buttons of a row leave room for its title.
    const viewport = page.viewportSize() ?? { width: 1440, height: 900 };
    await page.setViewportSize({ width: 720, height: 450 });
    const title = row.getByRole('heading');
    await expect.poll(async () => (await title.boundingBox())?.width).toBeGreaterThan(200);
    await page.setViewportSize(viewport);
    await row.focus();
    await page.keyboard.press('e');
    await row.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    // A toast that goes gives the focus back, and would close a menu that was opened meanwhile.
    await page.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' });
    await bringBack(page, task.id);
    await row.getByRole('button', { name: 'Unblock' }).click();
    await page.getByTestId(`inbox-item-${task.id}`).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Mark as read' }).click();
    await page.getByTestId('inbox-badge').waitFor({ state: 'detached' });
    await screenshot(page, 'inbox-answered-en');
  });
});

/** Puts a row away for later and for good, and brings it back from the list: by keyboard and by its button. */
async function bringBack(page: Page, taskId: string): Promise<void> {
  const row = page.getByTestId(`inbox-item-${taskId}`);
  const hidden = page.getByTestId(`put-away-${taskId}`);
  const nav = page.getByRole('navigation', { name: 'What the inbox shows' });
  await row.getByTestId('inbox-snooze').click();
  await page.getByTestId('inbox-snooze-hour').click();
  await row.waitFor({ state: 'detached' });
  await nav.getByRole('link', { name: 'Put away' }).click();
  await hidden.getByText('Back at').waitFor();
  await expectGoodLook(page, 'inbox-put-away-en');
  const viewport = page.viewportSize() ?? { width: 1440, height: 900 };
  await page.setViewportSize({ width: 360, height: 780 });
  await expectGoodLook(page, 'inbox-put-away-en-360');
  await page.setViewportSize(viewport);
  await page.keyboard.press('j');
  await expect
    .poll(() => page.locator('article:focus').getAttribute('data-testid'))
    .toBe(`put-away-${taskId}`);
  await page.keyboard.press('u');
  await hidden.waitFor({ state: 'detached' });
  await page.getByText('Nothing is put away').waitFor();
  await nav.getByRole('link', { name: 'All' }).click();
  await row.getByTestId('inbox-dismiss').click();
  await row.waitFor({ state: 'detached' });
  await nav.getByRole('link', { name: 'Put away' }).click();
  await hidden.getByTestId('put-away-restore').click();
  await hidden.waitFor({ state: 'detached' });
  await nav.getByRole('link', { name: 'All' }).click();
  await row.waitFor();
}

describe('off the page', () => {
  const told = z.object({
    title: z.string(),
    question: z.object({ toolUseId: z.string(), answerUrl: z.string() }),
  });

  test('a webhook is added, tested, and told a question, which is answered by its link', async () => {
    const page = await web.signedIn({ as: MORI, locale: 'en', width: 360, path: '/settings/notifications' });
    await page.getByTestId('add-webhook').click();
    await page.getByTestId('channel-name').fill('My phone');
    await page.getByTestId('channel-url').fill(`${receiver.url}/hook`);
    await page.getByTestId('channel-save').click();
    const secret = (await page.getByTestId('channel-once').textContent()) ?? '';
    await page.getByTestId('channel-dialog').getByRole('button', { name: 'Done' }).click();
    await page.getByTestId('channel-test').click();
    await page.getByTestId('channel-sent').waitFor();
    expect(receiver.received.map((call) => signedAt(call, secret) !== undefined)).toEqual([true]);
    await expectGoodLook(page, 'notifications-en-360');

    await asks(ONE);
    await expect.poll(() => receiver.received.length).toBe(2);
    const { title, question } = told.parse(JSON.parse(receiver.received[1]?.body.toString() ?? ''));
    expect(title).toBe(ONE.question);
    expect(question.answerUrl).toContain('http://aizuchi.example/answer#');

    // Nobody is signed in where the link is opened.
    const { pathname, hash } = new URL(question.answerUrl);
    const link = await web.page({ locale: 'en', width: 360, path: `${pathname}${hash}.1` });
    await expect.poll(() => link.getByLabel('Settings table').isChecked()).toBe(true);
    await expectNoViolations(link);
    await expectGoodLook(link, 'answer-link-en-360');
    await link.getByTestId('answer-send').click();
    await link.getByTestId('answer-sent').waitFor();
    await untilHeard({ [ONE.question]: 'Settings table' });
    const again = await web.page({ locale: 'en', path: `${pathname}${hash}` });
    await expect.poll(() => again.getByRole('alert').textContent()).toContain('link');
  });

  test('a push is shown while the page is elsewhere, and a button of it answers', async () => {
    await asks(ONE);
    await expect.poll(async () => (await cards()).length).toBe(1);
    const [card] = await cards();
    const channel = { kind: 'web_push', name: 'Here', endpoint: 'https://push.invalid/1' };
    const { id } = await web.owner.call(z.object({ id: z.string() }), 'POST', '/notifications/channels', {
      ...channel,
      keys: new PushBrowser().keys,
    });
    await web.owner.call(z.unknown(), 'PATCH', `/notifications/channels/${id}`, { isOn: false });
    const page = await web.signedIn({ locale: 'en', hasWorker: true, path: '/settings/notifications' });
    const browser = await PushedPage.of(page);
    await browser.push({
      tag: card?.toolUseId,
      title: ONE.question,
      body: 'Backend Worker asks',
      path: '/inbox',
      locale: 'en',
      badge: 1,
      question: { toolUseId: card?.toolUseId, options: ONE.options.map(({ label }) => label) },
    });
    await expect.poll(() => browser.shown()).toEqual([ONE.question]);
    await browser.click('option-2');
    await untilHeard({ [ONE.question]: 'Key file on the host' });
    await expect.poll(() => browser.shown()).toEqual([]);

    // A card that somebody else has answered: the notification says so, and leads to it.
    await browser.push({
      tag: 'late',
      title: ONE.question,
      body: '',
      path: '/inbox',
      locale: 'en',
      badge: 0,
      question: { toolUseId: card?.toolUseId, options: ['a'] },
    });
    await expect.poll(() => browser.shown()).toEqual([ONE.question]);
    await browser.click('option-0');
    await expect.poll(() => browser.shown()).toEqual(['Your answer did not arrive']);
    await browser.click();
    await page.waitForURL('**/inbox');
  });
});
