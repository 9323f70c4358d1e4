import { readFile } from 'node:fs/promises';
import { taskSchema } from '@aizuchi/shared/contract/task';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FakeOpenAi } from '../../fixtures/fake-openai.ts';
import { ChatPage, ChatWorld } from './support/chat-world.ts';
import { expectGoodLook } from './support/look.ts';
import { useWeb } from './support/web.ts';

const web = useWeb();
const model = await FakeOpenAi.start(({ images }) => ({
  text: images.length > 0 ? 'I see a red dot.' : 'I see no picture.',
}));
afterAll(() => model.close());

let world: ChatWorld;
beforeAll(async () => {
  const agent = { name: 'Mieru', provider: 'openai', model: 'sees', baseUrl: model.baseUrl };
  world = await ChatWorld.make(web, 'prj_files', agent);
});

/** One red pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC';

/** Into the composer, as a person does it with the pointer, or with the clipboard. */
const give = (page: Page, how: 'drop' | 'paste', { png = '', text = '' }) =>
  page.evaluate(`(() => {
    const data = new DataTransfer();
    if ('${png}' !== '') {
      const bytes = Uint8Array.from(atob('${png}'), (one) => one.charCodeAt(0));
      data.items.add(new File([bytes], '図 dot.png', { type: 'image/png' }));
    }
    if ('${text}' !== '') data.setData('text/plain', '${text}');
    const options = { bubbles: true, cancelable: true };
    // Dropped anywhere in the chat.
    document.querySelector('${how}' === 'drop' ? '[data-chat]' : '[data-testid="chat-input"]').dispatchEvent('${how}' === 'drop'
      ? new DragEvent('drop', { ...options, dataTransfer: data })
      : new ClipboardEvent('paste', { ...options, clipboardData: data }));
  })()`);

test('a picture is dropped, a long text pasted, and the agent has seen them', async () => {
  const page = await web.signedIn({ locale: 'en', path: world.path });
  const chat = new ChatPage(page);
  // What takes files listens by the time that the composer has taken the focus.
  await chat.input.and(page.locator(':focus')).waitFor();
  const drafts = page.getByTestId('draft-file');
  await give(page, 'drop', { png: PNG });
  await give(page, 'paste', { text: 'word '.repeat(1_000) });
  await page.getByTestId('attach-input').setInputFiles([
    { name: 'empty.txt', mimeType: 'text/plain', buffer: Buffer.alloc(0) },
    { name: 'large.bin', mimeType: 'application/octet-stream', buffer: Buffer.alloc(6_000_000) },
  ]);
  await expect
    .poll(() => drafts.evaluateAll((all) => all.map((one) => one.getAttribute('data-state'))))
    .toEqual(['ready', 'ready', 'failed', 'failed']);
  await drafts.filter({ hasText: 'Larger than 5 MiB' }).waitFor();
  await expect.poll(() => chat.input.inputValue()).toBe('');
  await page.getByTestId('draft-files-note').waitFor();
  await expectGoodLook(page, 'attachments-draft');
  for (const name of ['empty.txt', 'large.bin'])
    await page.getByRole('button', { name: `Remove “${name}”` }).click();
  await page.getByTestId('draft-files-note').waitFor({ state: 'detached' });
  // What is uploaded survives a reload, as what is written does.
  await page.reload();
  await expect.poll(() => drafts.count()).toBe(2);
  await chat.say('What is this?');
  await page.getByText('I see a red dot.').waitFor();
  await expect.poll(() => drafts.count()).toBe(0);
  const said = model.requests.at(-1)?.messages.at(-1)?.content;
  expect(said).toMatch(
    /^What is this\?\n\[attached: 図 dot\.png, image\/png, .*\n\[attached: pasted\.txt, text\/plain, /,
  );

  const message = page.locator('[data-testid^="chat-message-msg"]', { hasText: 'What is this?' });
  const picture = message.getByRole('button', { name: 'Show “図 dot.png” large' });
  await picture.locator('img').waitFor();
  await picture.click();
  await page.getByTestId('picture-dialog').getByRole('img').waitFor();
  await expectGoodLook(page, 'attachments-large');
  await page.keyboard.press('Escape');
  await page.getByTestId('picture-dialog').waitFor({ state: 'detached' });
  const download = page.waitForEvent('download');
  await message.getByRole('button', { name: /^Save pasted\.txt/ }).click();
  expect(await readFile(await (await download).path(), 'utf8')).toBe('word '.repeat(1_000));

  const small = await web.signedIn({ locale: 'ja', width: 360, path: world.path });
  await small.getByRole('button', { name: '「図 dot.png」を大きく表示' }).locator('img').waitFor();
  await expectGoodLook(small, 'attachments-ja-360');
});

test('a comment on a task has files', async () => {
  const page = await web.signedIn({ locale: 'en', path: `/projects/${world.project.id}` });
  const { id } = await web.owner.call(taskSchema, 'POST', `/projects/${world.project.id}/tasks`, {
    title: 'With files',
  });
  await page.goto(`${page.url().split('?')[0]}?task=${id}`);
  await page.getByTestId('task-comment').waitFor();
  await page.getByTestId('attach-input').setInputFiles({
    name: 'notes.md',
    mimeType: 'text/markdown',
    buffer: Buffer.from('# Notes'),
  });
  await page.locator('[data-testid="draft-file"][data-state="ready"]').waitFor();
  await page.getByTestId('task-comment-send').click();
  await page.getByRole('button', { name: 'Save notes.md 7 B' }).waitFor();
  await expectGoodLook(page, 'attachments-comment');
});
