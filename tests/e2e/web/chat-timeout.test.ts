import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { ChatPage, ChatWorld } from './support/chat-world.ts';
import { expectGoodLook, LOOKS } from './support/look.ts';
import { useOwnWeb } from './support/web.ts';

const web = useOwnWeb();
const setTtl = (seconds: number) =>
  web.owner.call(z.unknown(), 'PUT', '/settings', { pendingPurposeTtlSeconds: seconds });
const purposesSchema = z.object({
  pendingPurposes: z.array(
    z.object({ agentId: z.string(), purpose: z.string(), outcome: z.string().optional() }),
  ),
});

const SEED = 'UC010 to the letter: project, avatar, message, ten seconds, an error that says タイムアウト';
test(SEED, async () => {
  // The chat that is open waits from then on: on a busy machine longer than that before something is said in it.
  await setTtl(300);
  const agent = { id: 'agt_uc010_timeout', name: 'timeout-test-agent', credential: false };
  const world = await ChatWorld.make(web, 'prj_uc010', agent, 'UC010 Timeout Test');
  const purposes = async () => {
    const path = '/projects/prj_uc010/pending-purposes?includeRecent=60';
    return (await web.owner.call(purposesSchema, 'GET', path)).pendingPurposes;
  };
  const page = await web.signedIn();
  await page.getByRole('link', { name: /UC010 Timeout Test/ }).click();
  await page.getByTestId('agent-avatar-agt_uc010_timeout').click();
  const chat = new ChatPage(page);
  const said = Date.now();
  await chat.say('進捗を教えて');
  await page.locator('[data-testid^="message-state-"][data-state="stored"]').waitFor();
  await setTtl(10);
  await expect.poll(purposes).toMatchObject([{ agentId: agent.id, purpose: 'chat' }]);

  const system = page.locator('[data-sender="system"]');
  await system.waitFor();
  console.log(`UC010: the system error came ${((Date.now() - said) / 1000).toFixed(1)} s after the message`);
  const words = await system.textContent();
  expect(words).toContain('⚠️ System');
  expect(words).toContain('タイムアウト');
  const look = await looksOf(system.locator('div').first());
  expect(look).toEqual({ ground: 'light red', ink: 'red', align: 'center' });
  await page.locator('[data-testid^="message-state-"][data-state="failed"]').waitFor();
  expect((await purposes()).map(({ outcome }) => outcome)).toEqual(['expired']);
  await expect
    .poll(async () => (await world.log()).filter(({ visible }) => visible))
    .toMatchObject([
      { senderId: 'user', content: '進捗を教えて' },
      {
        senderId: 'system',
        id: expect.stringMatching(/^sys_/),
        content: expect.stringContaining('タイムアウト'),
      },
    ]);
});

/** The colours of a box as a person would name them, from the rendered page. */
async function looksOf(box: Locator): Promise<{ ground: string; ink: string; align: string }> {
  const drawn = await box.evaluate((element) => {
    const document = element.ownerDocument;
    const style = document.defaultView?.getComputedStyle(element);
    const context = document.createElement('canvas').getContext('2d');
    if (!style || !context) throw new Error('this browser draws nothing');
    const rgb = (colour: string) => {
      context.fillStyle = colour;
      context.fillRect(0, 0, 1, 1);
      return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
    };
    return { ground: rgb(style.backgroundColor), ink: rgb(style.color), align: style.textAlign };
  });
  const name = ([red = 0, green = 0, blue = 0]: number[]) => {
    const hue = red > green + 8 && red > blue + 8 ? 'red' : 'another colour';
    return Math.min(red, green, blue) > 200 ? `light ${hue}` : hue;
  };
  return { ground: name(drawn.ground), ink: name(drawn.ink), align: drawn.align };
}

test.each(LOOKS)('UC010: an agent without credential ($locale, $width px)', async (look) => {
  const { locale, width } = look;
  // The chat that is open waits from then on: on a busy machine longer than the TTL before something is said in it.
  await setTtl(300);
  const name = `uc010_${locale}_${width}`;
  const world = await ChatWorld.make(web, `prj_${name}`, {
    id: `agt_${name}`,
    name: 'timeout-test-agent',
    credential: false,
  });
  const page = await web.signedIn({ ...look, path: `/projects/${world.project.id}` });
  await page.getByTestId(`agent-avatar-${world.agentId}`).click();
  const chat = new ChatPage(page);
  await chat.say('進捗を教えて');
  await page.locator('[data-testid^="message-state-"][data-state="stored"]').waitFor();
  await setTtl(1);
  const system = page.locator('[data-sender="system"]');
  await system.waitFor();
  await expect.poll(() => system.textContent()).toContain('⚠️ System');
  await expect.poll(() => system.textContent()).toContain(locale === 'ja' ? 'タイムアウト' : 'timed out');
  await page.locator('[data-testid^="message-state-"][data-state="failed"]').waitFor();
  await expectGoodLook(page, `chat-timeout-${locale}-${width}`);
  await system.getByTestId(/^message-retry-/).click();
  await expect.poll(() => system.count()).toBe(2);
  await page.locator('[data-testid^="message-state-"][data-state="failed"]').waitFor();
  await expect.poll(() => chat.texts()).toHaveLength(3);
});
