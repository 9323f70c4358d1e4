import { scheduleSchema } from '@aizuchi/shared/contract/schedule';
import { expect, test } from 'vitest';
import { expectNoViolations } from './support/axe.ts';
import { ChatWorld } from './support/chat-world.ts';
import { expectGoodLook } from './support/look.ts';
import { screenshot } from './support/screenshot.ts';
import { useWeb } from './support/web.ts';

const web = useWeb();

test('a schedule is created, run now, switched off, changed and deleted', async () => {
  const world = await ChatWorld.make(web, 'prj_nightly', { id: 'agt_nightly', name: 'Link Checker' });
  const page = await web.signedIn({ locale: 'en', path: `/projects/${world.project.id}/schedules` });
  await page.getByText('No schedules').waitFor();
  await screenshot(page, 'schedules-empty-en');

  await page.getByTestId('schedule-new').click();
  const cron = page.getByTestId('schedule-cron');
  await cron.fill('0 9 * *');
  await page.getByText('Five fields are needed').waitFor();
  await cron.fill('99 9 * * 1-5');
  await page.getByText('A field is not right').waitFor();
  await page.getByTestId('schedule-save').click();
  await page.getByText('Write what to ask for.').waitFor();
  await screenshot(page, 'schedule-refused-en');
  await expectNoViolations(page);
  await cron.fill('30 9 * * 1,3');
  await page.getByTestId('schedule-zone').selectOption('America/New_York');
  await page.getByTestId('schedule-preview').getByText('At 9:30 every Monday and Wednesday').waitFor();
  await expect.poll(() => page.getByTestId('schedule-preview').locator('li').count()).toBe(3);
  await page.getByTestId('schedule-prompt').fill('Check all links.\nReport what is broken.');
  await expectGoodLook(page, 'schedule-dialog-en');
  await page.getByTestId('schedule-save').click();
  await page.getByTestId('schedule-dialog').waitFor({ state: 'detached' });

  const row = page.locator('article[data-testid^="schedule-"]');
  await row.getByText('At 9:30 every Monday and Wednesday').waitFor();
  await row.getByRole('button', { name: 'Run now' }).click();
  await page.locator('[data-testid^="schedule-last-"][data-outcome="started"]').waitFor();
  await expect
    .poll(async () => (await world.contents()).join(' | '))
    .toContain('Check all links. Report what is broken.');
  await expectGoodLook(page, 'schedules-en');

  await row.getByRole('switch').click();
  await page.locator('article[data-testid^="schedule-"][data-enabled="false"]').waitFor();
  await row.getByRole('button', { name: /Actions/ }).click();
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  await expect.poll(() => cron.inputValue()).toBe('30 9 * * 1,3');
  await page.getByRole('button', { name: 'Every 2 hours' }).click();
  await page.getByTestId('schedule-save').click();
  await row.getByText('Every 2 hours').waitFor();
  await row.getByRole('button', { name: /Actions/ }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No schedules').waitFor();
  // In the name of its maker, who did not write it.
  await page.goto(new URL(world.path, page.url()).href);
  await page.getByTestId('by-schedule').first().waitFor();
});

test('the form works on a phone, in Japanese', async () => {
  const world = await ChatWorld.make(web, 'prj_phone', { id: 'agt_phone', name: 'まとめ係' });
  await web.owner.call(scheduleSchema, 'POST', `/projects/${world.project.id}/schedules`, {
    agentId: world.agentId,
    cron: '0 9 * * 1-5',
    timeZone: 'Asia/Tokyo',
    prompt: '昨日の変更をまとめて、気になるところを 3 つ挙げてください。',
  });
  const page = await web.signedIn({
    width: 360,
    path: `/projects/${world.project.id}/schedules`,
  });
  await page.getByText('平日（月〜金）9:00').waitFor();
  await expectGoodLook(page, 'schedules-ja-360');
  await page.getByRole('button', { name: /への操作/ }).click();
  await page.getByRole('menuitem', { name: '編集' }).click();
  await page.getByTestId('schedule-preview').getByText('平日（月〜金）9:00').waitFor();
  await screenshot(page, 'schedule-dialog-ja-360');
});
