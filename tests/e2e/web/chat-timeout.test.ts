import { expect, test } from 'vitest';
import { expectNoViolations } from './support/axe.ts';
import { ChatPage, ChatWorld } from './support/chat-world.ts';
import { screenshot } from './support/screenshot.ts';
import { useWeb } from './support/web.ts';

const web = useWeb({ PENDING_PURPOSE_TTL_SECONDS: '4' });

test.each([
  { locale: 'ja', theme: 'light', width: 1440, words: 'タイムアウト' },
  { locale: 'en', theme: 'dark', width: 1440, words: 'timed out' },
  { locale: 'ja', theme: 'dark', width: 360, words: 'タイムアウト' },
] as const)('UC010: an agent without credential ($locale, $theme, $width)', async (look) => {
  const { locale, theme, width, words } = look;
  const name = `uc010_${locale}_${width}`;
  const world = await ChatWorld.make(web, `prj_${name}`, {
    id: `agt_${name}`,
    name: 'timeout-test-agent',
    credential: false,
  });
  const page = await web.signedIn({ locale, theme, width, path: `/projects/${world.project.id}` });
  await page.getByTestId(`agent-avatar-${world.agentId}`).click();
  const chat = new ChatPage(page);
  await chat.say('進捗を教えて');
  const system = page.locator('[data-sender="system"]');
  await system.waitFor({ timeout: 20_000 });
  expect(await system.textContent()).toContain('⚠️ System');
  expect(await system.textContent()).toContain(words);
  await page.locator('[data-testid^="message-state-"][data-state="failed"]').waitFor();
  await screenshot(page, `chat-timeout-${locale}-${theme}-${width}`);
  await expectNoViolations(page);
  await system.getByTestId(/^message-retry-/).click();
  await expect.poll(() => system.count(), { timeout: 20_000 }).toBe(2);
  await page.locator('[data-testid^="message-state-"][data-state="failed"]').waitFor();
  expect(await chat.texts()).toHaveLength(3);
});
