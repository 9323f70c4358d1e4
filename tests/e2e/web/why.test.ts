import { memoryEventPageSchema } from '@aizuchi/shared/contract/memory';
import { projectSearchSchema } from '@aizuchi/shared/contract/search';
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { ChatWorld } from './support/chat-world.ts';
import { expectGoodLook, LOOKS } from './support/look.ts';
import { useWeb } from './support/web.ts';

const web = useWeb();
const QUESTION = '猫の名前について前に何て言った？';

let world: ChatWorld;
beforeAll(async () => {
  world = await ChatWorld.make(web, 'prj_why', { id: 'agt_why', name: 'こだま' });
  await world.post('うちの猫の名前はモモだよ');
  await untilRemembered('モモ');
  await untilRecalled('モモ');
});

/** A search that is late is left behind, so the question is repeated. */
async function untilRecalled(name: string): Promise<void> {
  const before = (await world.contents()).length;
  await world.post(QUESTION);
  await untilSaid(before + 2);
  if (!(await world.contents()).at(-1)?.includes(name)) return untilRecalled(name);
}

async function untilSaid(count: number): Promise<void> {
  if ((await world.contents()).length < count) return untilSaid(count);
}

/** Memory follows the answers of a chat. */
async function untilRemembered(query: string): Promise<void> {
  const { counts } = await web.owner.call(projectSearchSchema, 'POST', '/projects/prj_why/search', { query });
  if (counts.chat === 0) return untilRemembered(query);
}

test.each(LOOKS)(
  'why? shows the memory that an answer has used: $locale, $width px',
  async ({ locale, width }) => {
    const page = await web.signedIn({ locale, width, path: world.path });
    const why = page.getByTestId('chat-why').last();
    await why.click();
    const used = page.getByTestId('memory-used');
    await used.getByText('うちの猫の名前はモモだよ').first().waitFor();
    await expect.poll(() => why.getAttribute('aria-expanded')).toBe('true');
    await expectGoodLook(page, `why-${locale}-${width}`);
    await used.getByRole('button').click();
    await used.waitFor({ state: 'detached' });
  },
);

test('what was deleted since is not shown any more, and the page says so', async () => {
  const { events } = await web.owner.call(
    memoryEventPageSchema,
    'GET',
    '/memory/agt_why/events?projectId=prj_why',
  );
  for (const { id } of events)
    await web.owner.call(z.unknown(), 'DELETE', `/memory/agt_why/events/${id}?projectId=prj_why`);
  const page = await web.signedIn({ locale: 'ja', path: world.path });
  await page.getByTestId('chat-why').last().click();
  const used = page.getByTestId('memory-used');
  await used
    .getByText(/削除されました|もう残っていません|使うものはありませんでした/)
    .first()
    .waitFor();
  await expect.poll(() => used.getByText('うちの猫の名前はモモだよ').count()).toBe(0);
});
