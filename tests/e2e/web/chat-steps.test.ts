import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ChatPage } from './support/chat-world.ts';
import { expectGoodLook, LOOKS } from './support/look.ts';
import { seesInPassing } from './support/passing-text.ts';
import { screenshot } from './support/screenshot.ts';
import type { TurnAct } from './support/scripted-turn.ts';
import { ScriptedChat } from './support/scripted-world.ts';
import { useWeb } from './support/web.ts';

const web = useWeb();

const BEFORE = [
  "import { split } from './split.ts';",
  '',
  'export function parse(text: string) {',
  '  const [y, m, d] = split(text);',
  "  return new Date(text + 'T00:00Z');",
  '}',
].join('\n');
const AFTER = [
  "import { split } from './split.ts';",
  '',
  'export function parse(text: string, tz: string) {',
  '  const [y, m, d] = split(text);',
  '  if (!y || !m || !d) throw new ParseError(text);',
  '  return new LocalDate(y, m, d, tz);',
  '}',
].join('\n');

const step = (id: string, kind: string, title: string, status: string, rest = {}): TurnAct =>
  ({ step: { id, kind, title, status, ...rest } }) as TurnAct;

const WORK: TurnAct[] = [
  step('t1', 'thought', 'Thought', 'running'),
  step('t1', 'thought', 'Thought', 'done', { detail: 'The closing day is cut in UTC.' }),
  step('r1', 'read', 'Read src/parse.ts', 'done'),
  step('r2', 'read', 'Read src/closing.ts', 'done'),
  step('r3', 'read', 'Read src/tz.ts', 'done'),
  step('c1', 'command', 'Ran pnpm test', 'running'),
  step('c1', 'command', 'Ran pnpm test', 'failed', {
    detail: '\u001b[31mFAIL\u001b[0m closing.test.ts\n2 failed, 410 passed',
  }),
  step('e1', 'edit', 'Edited src/parse.ts', 'done', {
    diff: { path: 'src/parse.ts', before: BEFORE, after: AFTER },
  }),
  step('c2', 'command', 'Ran pnpm test', 'running'),
  step('c2', 'command', 'Ran pnpm test', 'done', { detail: '412 passed' }),
];
const LAST: TurnAct[] = [
  step('s1', 'other', 'Writing the summary', 'running'),
  { until: 'go' },
  step('s1', 'other', 'Writing the summary', 'done'),
];
const USAGE = { input_tokens: 11_900, output_tokens: 531, cost_usd: 0.031, duration_ms: 8_200 };
const ANSWER: TurnAct = {
  answer: 'The closing day was cut in UTC. `parse.ts` now builds it in the time zone of the account.',
  model: 'claude-sonnet-4-5',
  usage: USAGE,
};

/** For how long the agent works, as the head of the chat says: "8.2 s", "1:04". */
async function secondsOf(page: Page): Promise<number> {
  const working = page.locator('[data-testid="chat-status"][data-status="busy"]');
  const text = (await working.textContent()) ?? '';
  const [, minutes, seconds = ''] = /(?:(\d+):)?([\d.]+)(?: s| 秒)?$/.exec(text) ?? [];
  expect(seconds, text).not.toBe('');
  return 60 * Number(minutes ?? 0) + Number(seconds);
}

describe.each(LOOKS)('$locale, $width px', (look) => {
  const suffix = `${look.locale}-${look.width}`;
  const send = look.locale === 'ja' ? '送信' : 'Send';

  test('steps while the agent works, a reload in the middle, then one line that opens all', async () => {
    const scripted = await ScriptedChat.make(web, `steps_${suffix.replace('-', '_')}`, 'Analysis Worker');
    const page = await web.signedIn({ ...look, path: scripted.world.path });
    const chat = new ChatPage(page);
    await chat.untilReady(send);
    await scripted.put(
      'turn.json',
      JSON.stringify([...WORK, { text: 'The closing day was cut in UTC. ' }, ...LAST, ANSWER]),
    );
    await chat.say('Fix the closing day that is off by one, and get the tests to pass.');

    const line = (id: string) => page.getByTestId(`chat-step-${id}`);
    await line('s1').waitFor();
    await page.getByTestId('step-diff').waitFor();
    await expect.poll(() => line('r1').textContent()).toContain('parse.ts, closing.ts, tz.ts');
    await expect.poll(() => line('r2').count()).toBe(0);
    await expect.poll(() => line('c1').textContent()).toMatch(look.locale === 'ja' ? /失敗/ : /failed/);
    await expect.poll(() => line('e1').textContent()).toMatch(/\+3.*−2/);
    await expect.poll(() => line('c2').getAttribute('aria-expanded')).toBe('false');
    await page.getByTestId('chat-stop').waitFor();
    await expect.poll(() => chat.isAtEnd()).toBe(true);
    await expectGoodLook(page, `steps-working-${suffix}`);
    await line('c1').click();
    await page.getByText('2 failed, 410 passed').waitFor();
    await expect.poll(() => page.locator('article pre').first().textContent()).not.toContain('[31m');
    await screenshot(page, `steps-output-${suffix}`);

    const before = await secondsOf(page);
    await page.reload();
    await line('s1').waitFor();
    // One clock for the whole turn, also for who looks again.
    expect(await secondsOf(page)).toBeGreaterThanOrEqual(before);
    await expect
      .poll(() =>
        page
          .locator('[data-testid^="chat-step-"]')
          .evaluateAll((all) => all.map((one) => one.dataset.testid)),
      )
      .toEqual(['t1', 'r1', 'c1', 'e1', 'c2', 's1'].map((id) => `chat-step-${id}`));

    await scripted.put('go');
    const toggle = page.locator('[data-testid^="chat-steps-toggle-"]');
    await toggle.waitFor();
    await expect.poll(() => page.locator('[data-testid^="chat-step-"]').count()).toBe(0);
    await expect
      .poll(() => toggle.textContent())
      .toMatch(
        look.locale === 'ja'
          ? /8 ステップ · 1 度失敗して成功.*\+3.*−2/
          : /8 steps · failed once, then passed.*\+3.*−2/,
      );
    const usage = page.getByTestId('chat-usage');
    await expect.poll(() => usage.textContent()).toMatch(/claude-sonnet-4-5.*12\.4k.*8\.2.*\$0\.03/);
    await expectGoodLook(page, `steps-done-${suffix}`);

    await page.reload();
    await toggle.waitFor();
    await expect.poll(() => toggle.textContent()).not.toContain('+3');
    const asked = page.waitForResponse(/\/messages\/msg_\w+\/steps$/);
    await toggle.click();
    await asked;
    await line('e1').waitFor();
    await expect.poll(() => line('c1').textContent()).toMatch(look.locale === 'ja' ? /失敗/ : /failed/);
    await line('e1').click();
    await page.getByTestId('step-diff').waitFor();
    await expectGoodLook(page, `steps-unfolded-${suffix}`);
    await toggle.focus();
    await page.keyboard.press('Enter');
    await line('e1').waitFor({ state: 'detached' });
  });
});

test('more than twelve lines fold; what is discarded goes; Esc twice stops', async () => {
  const scripted = await ScriptedChat.make(web, 'steps_many', 'Analysis Worker');
  const page = await web.signedIn({ locale: 'en', path: scripted.world.path });
  const chat = new ChatPage(page);
  await chat.untilReady('Send');
  const many = Array.from({ length: 20 }, (_, index) =>
    step(`c${index}`, 'command', `Ran test ${index}`, index === 3 ? 'failed' : 'done'),
  );
  await scripted.put('turn.json', JSON.stringify([...many, { until: 'never' }]));
  await chat.say('All of them.');
  const older = page.locator('[data-testid^="chat-steps-older-"]');
  await page.getByTestId('chat-step-c19').waitFor();
  await expect.poll(() => older.textContent()).toContain('9 steps · failed once, then passed');
  await expect.poll(() => page.locator('[data-testid^="chat-step-"]').count()).toBe(11);
  await older.click();
  await page.getByTestId('chat-step-c3').waitFor();
  await screenshot(page, 'steps-many-en');

  let stops = 0;
  page.on('request', (request) => {
    if (request.url().endsWith('/chat/interrupt')) stops += 1;
  });
  await seesInPassing(page, 'Press Esc again to stop', () => chat.input.press('Escape'));
  expect(stops).toBe(0);
  await page.getByTestId('chat-panel').waitFor();
  // The second one counts for three seconds. Where the machine was busy for longer it is a first one again.
  await expect
    .poll(async () => {
      await page.keyboard.press('Escape');
      return stops;
    })
    .toBeGreaterThan(0);
  await page.getByText('Press Esc again to stop').waitFor({ state: 'detached' });

  await web.owner.call(
    z.unknown(),
    'POST',
    `/projects/${scripted.world.project.id}/agents/${scripted.world.agentId}/chat/end`,
    { force: true },
  );
  await page.locator('[data-testid^="chat-step-"]').first().waitFor({ state: 'detached' });
});

test.each(LOOKS)('a turn without an answer is one line with Retry, in $locale, $width px', async (look) => {
  const suffix = `${look.locale}-${look.width}`;
  const isJa = look.locale === 'ja';
  const scripted = await ScriptedChat.make(web, `fails_${suffix.replace('-', '_')}`, 'Analysis Worker');
  const page = await web.signedIn({ ...look, path: scripted.world.path });
  const chat = new ChatPage(page);
  await chat.untilReady(isJa ? '送信' : 'Send');
  const reason = 'The model is overloaded at the moment. Send the message again in some minutes.';
  await scripted.put('turn.json', JSON.stringify([{ text: 'The closing day ' }, { failure: reason }]));
  await chat.say('Fix the closing day.');
  const line = page.locator('[data-sender=system]').filter({ hasText: reason });
  await line.waitFor();
  // What was streamed is no message.
  await expect.poll(() => page.getByText('The closing day ', { exact: true }).count()).toBe(0);
  await expectGoodLook(page, `chat-turn-failed-${suffix}`);
  await scripted.put('answer.md', 'It was cut in UTC.');
  await line.getByRole('button', { name: isJa ? '再試行' : 'Retry' }).click();
  await page.getByText('It was cut in UTC.').waitFor();
  await page.locator('[data-state=answered]').waitFor();
});
