import { memoryEventPageSchema } from '@aizuchi/shared/contract/memory';
import { captureRequestedSchema } from '@aizuchi/shared/contract/vision';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FakeOpenAi } from '../../fixtures/fake-openai.ts';
import { ChatWorld } from './support/chat-world.ts';
import { expectGoodLook, LOOKS } from './support/look.ts';
import { useOwnWeb } from './support/web.ts';

const model = await FakeOpenAi.start(() => ({ text: ['A red ', 'dot.'] }));
const web = useOwnWeb({ LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'm' });
afterAll(() => model.close());

let world: ChatWorld;
beforeAll(async () => {
  world = await ChatWorld.make(web, 'prj_vision', { name: 'こだま', provider: 'builtin' });
});

/** One red pixel. */
const PICTURE = {
  name: 'dot.png',
  mimeType: 'image/png',
  buffer: Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC',
    'base64',
  ),
};

/** A picture, and a text if there is one, into the field that has the focus. Whether the browser goes on with it. */
const paste = (page: Page, text = '', times = 1) =>
  page.evaluate(`(() => {
    const clipboardData = new DataTransfer();
    const bytes = Uint8Array.from(atob('${PICTURE.buffer.toString('base64')}'), (one) => one.charCodeAt(0));
    clipboardData.items.add(new File([bytes], 'dot.png', { type: 'image/png' }));
    if (${JSON.stringify(text)} !== '') clipboardData.setData('text/plain', ${JSON.stringify(text)});
    const dispatched = Array.from({ length: ${times} }, () => document.activeElement.dispatchEvent(new ClipboardEvent(
      'paste', { clipboardData, bubbles: true, cancelable: true })));
    return dispatched[0];
  })()`);

async function ask(source: string): Promise<string> {
  const { request_id } = await web.owner.call(captureRequestedSchema, 'POST', '/vision/capture-request', {
    agentId: world.agentId,
    projectId: world.project.id,
    clientId: 'owner',
    source,
  });
  return request_id;
}

const captions = async () => {
  const path = `/memory/${world.agentId}/events?projectId=${world.project.id}`;
  const { events } = await web.owner.call(memoryEventPageSchema, 'GET', path);
  return events.filter(({ source }) => source === 'vision_detail').map(({ caption }) => caption);
};

const cardOf = (page: Page, id: string) => page.getByTestId(`capture-card-${id}`);

test('a person chooses a picture and sends it; a model that cannot see is said, and it can be sent again', async () => {
  const page = await web.signedIn({ locale: 'en', path: world.path });
  const id = await ask('the error on the screen');
  const card = cardOf(page, id);
  await card.getByText('the error on the screen').waitFor();
  // A table that was copied is text for the field into which it is pasted.
  await page.getByTestId('chat-input').focus();
  expect(await paste(page, 'a\tb')).toBe(true);
  await expect.poll(() => card.getByRole('img').count()).toBe(0);
  await paste(page, '', 2);
  await expect.poll(() => card.getByRole('img').count()).toBe(2);
  model.script = () => ({ status: 400, message: 'no images' });
  await card.getByRole('button', { name: 'Send' }).click();
  await card.getByText('The image could not be sent').waitFor();
  model.script = () => ({ text: ['A red ', 'dot.'] });
  await card.getByRole('button', { name: 'Send' }).click();
  await card.waitFor({ state: 'detached' });
  await expect.poll(captions).toEqual(['A red dot.']);
});

test('a page that comes later shows what is open; a request that is declined goes from every page', async () => {
  const id = await ask('your desk');
  const page = await web.signedIn({ locale: 'en', path: world.path });
  const other = await web.signedIn({ locale: 'en', path: world.path });
  await cardOf(other, id).waitFor();
  await cardOf(page, id).getByRole('button', { name: 'Decline' }).click();
  await cardOf(page, id).waitFor({ state: 'detached' });
  await cardOf(other, id).waitFor({ state: 'detached' });
});

test('the card looks right in both languages, themes and widths', async () => {
  for (const look of LOOKS) {
    // A request is open for two minutes.
    const id = await ask('ログイン画面のスクリーンショット (login page)');
    const page = await web.signedIn({ ...look, path: world.path });
    await cardOf(page, id).getByTestId('capture-file').setInputFiles(PICTURE);
    await cardOf(page, id).getByRole('img').waitFor();
    await expectGoodLook(page, `vision-${look.locale}-${look.width}`);
    await cardOf(page, id).getByRole('button').last().click();
    await cardOf(page, id).waitFor({ state: 'detached' });
  }
});
