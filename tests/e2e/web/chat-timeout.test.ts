import { expect, test } from 'vitest';
import { ChatPage, ChatWorld } from './support/chat-world.ts';
import { expectGoodLook, LOOKS } from './support/look.ts';
import { useWeb } from './support/web.ts';

const web = useWeb({ PENDING_PURPOSE_TTL_SECONDS: '2' });

test.each(LOOKS)('UC010: an agent without credential ($locale, $width px)', async (look) => {
  const { locale, width } = look;
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
  const system = page.locator('[data-sender="system"]');
  await system.waitFor({ timeout: 20_000 });
  expect(await system.textContent()).toContain('⚠️ System');
  expect(await system.textContent()).toContain(locale === 'ja' ? 'タイムアウト' : 'timed out');
  await page.locator('[data-testid^="message-state-"][data-state="failed"]').waitFor();
  await expectGoodLook(page, `chat-timeout-${locale}-${width}`);
  await system.getByTestId(/^message-retry-/).click();
  await expect.poll(() => system.count(), { timeout: 20_000 }).toBe(2);
  await page.locator('[data-testid^="message-state-"][data-state="failed"]').waitFor();
  expect(await chat.texts()).toHaveLength(3);
});
