import { createdAgentSchema } from '@aizuchi/shared/contract/agent';
import { projectSchema } from '@aizuchi/shared/contract/project';
import { taskCommentSchema, taskSchema } from '@aizuchi/shared/contract/task';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { databaseUrlOf } from '../start/product-process.ts';
import { expectNoViolations } from './support/axe.ts';
import { expectGoodLook } from './support/look.ts';
import { seesInPassing } from './support/passing-text.ts';
import { insertPastTalks, TALK_PROJECT, TALKERS } from './support/past-talks.ts';
import { screenshot } from './support/screenshot.ts';
import { useWeb } from './support/web.ts';

const web = useWeb();
const databaseUrl = () => databaseUrlOf(web.product.environment.AIZUCHI_HOME ?? '');

beforeAll(async () => {
  await web.owner.call(projectSchema, 'POST', '/projects', { id: TALK_PROJECT, name: 'Kakeibo API' });
  for (const { id, name } of TALKERS) {
    await web.owner.call(z.unknown(), 'POST', '/agents', { type: 'ai', id, name });
    await web.owner.call(z.unknown(), 'PUT', `/projects/${TALK_PROJECT}/agents/${id}`);
  }
  await insertPastTalks(await databaseUrl());
});

const LIST = `/projects/${TALK_PROJECT}/conversations`;
const rows = (page: Page) => page.locator('#content li');
const thread = (page: Page) => page.locator('[data-testid^="chat-message-"]');
/** Opens the inbox; resolves when what waits there, or that nothing does, is on the page. */
const untilInboxIsListed = async (page: Page) => {
  await page.goto('/inbox');
  const nothing = page.getByText('待っているものはありません');
  await page.locator('[data-testid^=inbox-item-]').or(nothing).first().waitFor();
};

describe('the conversations of agents', () => {
  test('list, graph and thread show the agents, the progress, and how and why it ended', async () => {
    const page = await web.signedIn({ locale: 'en', path: LIST });
    const list = () => rows(page).allTextContents();
    await expect.poll(list).toHaveLength(6);
    expect((await list())[0]).toContain('Active, 2 of 20');
    // The names of the agents come by another request than the list.
    await expect.poll(list).toContainEqual(expect.stringMatching(/^AR.*Ended by Analysis Worker/));
    await expect.poll(list).toContainEqual(expect.stringContaining('資料担当 never joined'));
    await page.getByRole('img', { name: /Analysis Worker and Reviewer 6 messages/ }).waitFor();

    await page.getByRole('link', { name: /Agree on rounding/ }).click();
    await expect.poll(() => thread(page).count()).toBe(6);
    expect(new URL(page.url()).searchParams.get('conversation')).toBe('conv_rounding');
    expect(await page.getByText('“Cut-off on 1 November, both rules tested, merging.”').isVisible()).toBe(
      true,
    );
    // The chain shows the earlier conversation.
    await page.getByRole('link', { name: 'Fixture clean-up', exact: true }).first().click();
    await expect.poll(() => thread(page).count()).toBe(3);
    await page.goBack();
    await expect.poll(() => thread(page).count()).toBe(6);
  });

  test('has its own address; an unknown one shows an error', async () => {
    const page = await web.signedIn({ locale: 'en', path: '/conversations/conv_silence' });
    await page.getByText('Ended after silence').last().waitFor();
    expect(new URL(page.url()).pathname).toBe(LIST);
    const missing = await web.signedIn({ locale: 'en', path: '/conversations/conv_nowhere' });
    await missing.getByRole('heading', { name: 'There is no such page' }).waitFor();
  });

  test('a person stops a conversation; list and thread change without a reload', async () => {
    const path = `${LIST}?conversation=conv_live&agent=agt_docs`;
    const page = await web.signedIn({ locale: 'en', path });
    const line = page.getByTestId('chat-conversation-conv_live');
    await line.getByText(/^Talking with .* · Active, 2 of 20$/).waitFor();
    await screenshot(page, 'conversations-folded-live-en');
    const second = await web.signedIn({ locale: 'en', path: LIST });
    await expect.poll(() => thread(page).count()).toBe(2);
    await page.getByTestId('conversation-stop').click();
    await expect.poll(() => page.getByTestId('conversation-stop').count()).toBe(0);
    await page.getByText('Stopped by a person').last().waitFor();
    await line.getByText(/^Talked with .* · 2 messages · Stopped by a person$/).waitFor();
    await expect.poll(() => rows(second).first().textContent()).toContain('Stopped by a person');
  });

  test('the chats of both agents have a line for it, which links to the thread', async () => {
    const talker = TALKERS.find(({ name }) => name === 'Reviewer');
    const page = await web.signedIn({
      locale: 'en',
      path: `/projects/${TALK_PROJECT}?agent=${talker?.id}`,
    });
    const line = page.getByTestId('chat-conversation-conv_rounding');
    await line.getByText('Talked with Analysis Worker · 6 messages · Ended').waitFor();
    await screenshot(page, 'conversations-folded-en-light');
    await expectNoViolations(page);
    await line.click();
    await expect.poll(() => thread(page).count()).toBe(6);
    expect(await page.getByTestId('chat-panel').isVisible()).toBe(true);
  });

  test('a click makes one agent begin a conversation: the request is posted to its chat', async () => {
    const page = await web.signedIn({ locale: 'en', path: LIST });
    await page.getByRole('button', { name: 'Let agents talk' }).click();
    await page.getByLabel('About').fill('the names of the tables');
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await page.getByTestId('chat-panel').waitFor();
    await page.getByText(/about this, and tell me the result: the names of the tables/).waitFor();
  });

  test('a person whom a message names after @ finds it in the inbox, until it is read', async () => {
    const person = await web.owner.call(createdAgentSchema, 'POST', '/agents', {
      type: 'human',
      name: '森 かな',
      accessLevel: 'member',
      credential: true,
    });
    await web.owner.call(z.unknown(), 'PUT', `/projects/${TALK_PROJECT}/agents/${person.id}`);
    const talker = TALKERS.find(({ name }) => name === 'Reviewer');
    const chat = `/projects/${TALK_PROJECT}?agent=${talker?.id}`;
    const page = await web.signedIn({ locale: 'en', path: chat });
    await page.getByTestId('chat-input').pressSequentially('Please look, @森');
    await page.getByTestId('chat-mentions').getByText('森 かな').waitFor();
    await screenshot(page, 'chat-mention-menu-en');
    await expectNoViolations(page);
    await page.keyboard.press('Enter');
    await page.keyboard.type('`@森 かな`');
    expect(await page.getByTestId('chat-input').inputValue()).toBe('Please look, @森 かな `@森 かな`');
    await page.getByTestId('chat-send-button').click();
    await page.locator(`[data-mention="${person.id}"]`).waitFor();
    expect(await page.locator('[data-mention]').allTextContents()).toEqual(['@森 かな']);
    await screenshot(page, 'chat-mention-en');
    const named = page.locator('[data-testid^="chat-message-msg_"]').filter({ hasText: 'Please look' });
    // An answer to two messages quotes them, and names the person, too.
    await named.getByText('Answered').waitFor();
    const task = await web.owner.call(taskSchema, 'POST', `/projects/${TALK_PROJECT}/tasks`, {
      title: 'Round half to even',
    });
    const own = `${new URL(page.url()).origin}/projects/${TALK_PROJECT}?task=`;
    await page.getByTestId('chat-input').fill(`See ${own}${task.id} and ${own}tsk_unknown`);
    await page.getByTestId('chat-send-button').click();
    await page.getByTestId(`unfolded-${task.id}`).getByText('Round half to even').waitFor();
    await page.getByRole('link', { name: `${own}tsk_unknown` }).waitFor();
    const linking = page.locator('[data-testid^="chat-message-msg_"]').filter({
      has: page.getByTestId(`unfolded-${task.id}`),
    });
    await linking.getByText('Answered').waitFor();
    const message = (await named.getAttribute('data-testid'))?.replace('chat-message-', '');
    const other = `${new URL(page.url()).origin}/projects/prj_secret?agent=${talker?.id}&message=${message}`;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const copy = page.getByTestId(`message-link-${message}`);
    await seesInPassing(page, 'Link copied', () => copy.press('Enter'));
    const link = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(link).toBe(`${new URL(page.url()).origin}${chat}&message=${message}`);
    await page.getByTestId('chat-input').fill(`As in ${link} (not ${other} ).`);
    await page.getByTestId('chat-send-button').click();
    await page.getByTestId(`unfolded-${message}`).getByText('Please look, @森 かな').waitFor();
    await page.getByRole('link', { name: other }).waitFor();
    await expectGoodLook(page, 'chat-unfolded-en');
    const as = { id: person.id, passkey: person.passkey ?? '' };
    const theirs = await web.signedIn({ locale: 'ja', as, path: '/inbox?kind=mention' });
    const row = theirs.locator('[data-kind="mention"]');
    await row.getByText('呼びかけ: Please look').waitFor();
    await screenshot(theirs, 'inbox-mention-ja');
    await expectNoViolations(theirs);
    const isChatRead = theirs.waitForResponse((response) => response.url().endsWith('/chat/mark-read'));
    await row.getByRole('link', { name: 'チャットを開く' }).click();
    await theirs.locator(`[data-mention="${person.id}"]`).waitFor();
    expect(new URL(theirs.url()).searchParams.get('message')).toMatch(/^msg_/);
    expect((await isChatRead).status()).toBe(200);
    await untilInboxIsListed(theirs);
    expect(await theirs.locator('[data-kind="mention"]').count()).toBe(0);
    const comment = await web.owner.call(taskCommentSchema, 'POST', `/tasks/${task.id}/comments`, {
      body: '> @森 かな\n\n@森 かな, what do you say?',
    });
    const called = theirs.getByTestId(`inbox-item-${comment.id}`);
    await called.getByText('what do you say?').waitFor();
    await called.getByText('Round half to even').waitFor();
    const isRead = theirs.waitForResponse((response) => response.url().endsWith('/comments/mark-read'));
    await called.getByRole('link', { name: 'タスクを開く' }).click();
    const card = theirs.getByTestId(`task-comment-${comment.id}`);
    await card.locator('article[aria-current="true"]:focus').waitFor();
    // Names are known when the members of the project are read.
    await expect.poll(() => card.locator('[data-mention]').allTextContents()).toEqual(['@森 かな']);
    expect((await isRead).status()).toBe(204);
    await screenshot(theirs, 'task-mentioned-ja');
    await expectNoViolations(theirs);
    await theirs.getByTestId('task-close').click();
    await theirs.getByTestId('task-panel').waitFor({ state: 'detached' });
    expect(new URL(theirs.url()).search).not.toContain('comment');
    await untilInboxIsListed(theirs);
    expect(await theirs.locator('[data-kind="mention"]').count()).toBe(0);
  });

  test.each([
    { locale: 'ja', theme: 'light', width: 1440 },
    { locale: 'en', theme: 'dark', width: 1440 },
    { locale: 'ja', theme: 'dark', width: 360 },
    { locale: 'en', theme: 'light', width: 360 },
  ] as const)('without violations in $locale, $theme, $width px', async (look) => {
    const name = `conversations-${look.locale}-${look.theme}-${look.width}`;
    const page = await web.signedIn({ ...look, path: LIST });
    await expect.poll(() => rows(page).count()).toBe(6);
    await expectNoViolations(page);
    await screenshot(page, `${name}-list`);
    await page.goto(`${LIST}?conversation=conv_rounding`);
    await expect.poll(() => thread(page).count()).toBe(6);
    await expectNoViolations(page);
    await screenshot(page, `${name}-thread`);
  });
});
