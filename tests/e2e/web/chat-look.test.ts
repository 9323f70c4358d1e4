import { describe, expect, test } from 'vitest';
import { ChatPage, ChatWorld } from './support/chat-world.ts';
import { expectGoodLook, LOOKS } from './support/look.ts';
import { screenshot } from './support/screenshot.ts';
import { ScriptedChat } from './support/scripted-world.ts';
import { useWeb } from './support/web.ts';

const web = useWeb();

const PIECES = [
  'The date was built in UTC, so Tokyo closed a day early. This keeps the local month:\n\n',
  '```ts\nexport function closingDay(\n  d: Date, tz: string,\n) {\n  // local month end, not UTC\n',
  '  const p = parts(d, tz);\n  return new Date(p.y, p.m + 1, 0);\n}\n```\n\n',
  'I also added a case for 29 February and one for a daylight saving',
  ' day. See [the log](https://example.org/log).',
];

const RICH = `3 件中 1 件が直り、1 件が進行中です。

| ファイル | 状態 |
| --- | --- |
| \`rounding.test.ts\` | 完了 |
| \`month-end.test.ts\` | 進行中 |

- [x] 端数処理を銀行丸めに統一
- [ ] 締め日が UTC で 1 日ずれる

> 前回の約束どおり、直した 1 件ごとにコミットしています。

<script>alert('x')</script> ![図](https://example.org/a.png)

## 残り

1. \`export.test.ts\` は**未着手**です。
2. https://example.org/plan`;

describe.each(LOOKS)('$locale, $width px', (look) => {
  const name = `look_${look.locale}_${look.width}`;
  const suffix = `${look.locale}-${look.width}`;
  const send = look.locale === 'ja' ? '送信' : 'Send';

  test('starting, waiting, streaming, answered, formatted, long, scrolled up, stopped', async () => {
    const scripted = await ScriptedChat.make(web, name, 'Analysis Worker');
    const { world } = scripted;
    await scripted.put('sign-in-hold');
    const page = await web.signedIn({ ...look, path: world.path });
    const chat = new ChatPage(page);
    const shot = (state: string) => screenshot(page, `chat-${state}-${suffix}`);
    const checkedShot = (state: string) => expectGoodLook(page, `chat-${state}-${suffix}`);

    await page.locator('[data-step="sign_in"][aria-current="step"]').waitFor();
    await shot('empty-starting');
    await chat.say('Which endpoints still lack an example?');
    await page.locator('[data-testid^="message-state-"][data-state="stored"]').waitFor();
    await chat.input.fill('And please check the error bodies too');
    await checkedShot('starting');
    await scripted.put('hold');
    await scripted.remove('sign-in-hold');
    await chat.untilReady(send);
    await page.getByTestId('chat-stop').waitFor();
    await shot('working');
    await scripted.remove('hold');
    await chat.untilAnswers(1);

    await scripted.put('pieces.json', JSON.stringify(PIECES));
    await chat.say('Show me the fix for month-end.');
    const colours = page.getByTestId('chat-log').locator('code span');
    for (const index of [0, 1]) await scripted.put(`piece-${index}`);
    await page.getByText('local month end').waitFor();
    expect(await colours.count()).toBe(0);
    await scripted.put('piece-2');
    await page.getByText('return new Date').waitFor();
    await colours.filter({ hasText: /^export$/ }).waitFor();
    await scripted.put('piece-3');
    await page.getByText('daylight saving').waitFor();
    await expect.poll(() => chat.isAtEnd()).toBe(true);
    await checkedShot('growing');
    const growing = page.locator('article[aria-busy="true"]');
    const id = await growing.getAttribute('data-testid');
    await scripted.put('piece-4');
    await scripted.put('end');
    await growing.waitFor({ state: 'detached' });
    await page.locator(`[data-testid="${id}"]`).waitFor();
    await expect.poll(() => page.locator(`[data-testid="${id}"]`).count()).toBe(1);

    await scripted.put('answer.md', RICH);
    await chat.say('回帰テストの進捗を教えてください。残りの見込みも。');
    await page.getByRole('link', { name: 'https://example.org/plan' }).waitFor();
    const link = page.getByRole('link', { name: 'https://example.org/plan' });
    await expect.poll(() => link.getAttribute('rel')).toBe('noopener noreferrer');
    await expect.poll(() => link.getAttribute('target')).toBe('_blank');
    await expect.poll(() => page.locator('[data-testid="chat-log"] img').count()).toBe(0);
    const receipt = page.locator('[data-testid^="message-state-"]').last();
    // The answer below it may still grow: what moves away from under the pointer shows nothing.
    await expect
      .poll(async () => {
        await receipt.hover();
        return page.getByRole('tooltip').count();
      })
      .toBe(1);
    await checkedShot('rich');
    await page.mouse.move(8, 300, { steps: 8 });
    await page.getByRole('tooltip').waitFor({ state: 'detached' });

    await scripted.put(
      'answer.md',
      Array.from({ length: 120 }, (_, line) => `Line ${line + 1}.  `).join('\n'),
    );
    await chat.say('Everything, please.');
    await page.getByRole('button', { name: '120' }).waitFor();
    await shot('long');
    await page.getByRole('button', { name: '120' }).click();
    await page.getByText('Line 120.').waitFor({ state: 'attached' });
    await page.getByTestId('chat-log').evaluate((element) => element.scrollTo(0, 200));
    await world.post('from elsewhere');
    await page.getByTestId('chat-new-messages').waitFor();
    await expect.poll(() => page.getByTestId('chat-new-messages').textContent()).toMatch(/\d/);
    await checkedShot('scrolled-up');
    await page.getByTestId('chat-new-messages').click();
    await expect.poll(() => chat.isAtEnd()).toBe(true);

    // The stop is for the turn that comes, not for that of the last message.
    await page.getByTestId('chat-stop').waitFor({ state: 'detached' });
    await scripted.put('hold');
    await chat.say('Take your time.');
    await page.getByTestId('chat-stop').click();
    await page.getByText('stopped half way').waitFor();
    await scripted.remove('hold');

    await page.getByTestId('chat-menu').click();
    await page.getByRole('menu').waitFor();
    await checkedShot('menu');
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    await page.getByTestId('chat-panel').waitFor();
    await chat.input.fill('x'.repeat(4_012));
    await expect.poll(() => chat.isAtEnd()).toBe(true);
    await checkedShot('too-long');
    await chat.input.fill('');
    await page.keyboard.press('Escape');
    await page.getByTestId('chat-panel').waitFor({ state: 'detached' });
  });

  test('an empty chat that is ready, and a chat whose session has ended', async () => {
    const world = await ChatWorld.make(web, `prj_empty_${name}`, { id: `agt_empty_${name}`, name: 'しるべ' });
    const page = await web.signedIn({ ...look, path: world.path });
    const chat = new ChatPage(page);
    await chat.untilReady(send);
    await expectGoodLook(page, `chat-empty-${suffix}`);
    await page.getByTestId('chat-menu').click();
    await page.getByTestId('chat-end-now').click();
    await page.getByRole('dialog').waitFor();
    await expectGoodLook(page, `chat-end-${suffix}`);
    await page.getByRole('dialog').getByRole('button').last().click();
    await page.locator('[data-testid="chat-status"][data-status="none"]').waitFor();
    await expect.poll(() => chat.sendButton.textContent()).toBe(send);
    await chat.say('もう一度');
    await chat.untilAnswers(1);
  });
});
