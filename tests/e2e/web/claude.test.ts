import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import {
  type FakeAnthropic,
  lastResults,
  type ModelScript,
  playing,
  type Reply,
  resultText,
  startFakeAnthropic,
} from '../../fixtures/fake-anthropic.ts';
import { startTrap, type Trap } from '../../fixtures/trap-proxy.ts';
import { claudeEnvironment } from '../claude/claude-product.ts';
import { CardPage, FREE, MANY, ONE } from './support/ask.ts';
import { ChatPage, ChatWorld } from './support/chat-world.ts';
import { expectGoodLook, LOOKS } from './support/look.ts';
import { screenshot } from './support/screenshot.ts';
import { Web } from './support/web.ts';

const web = new Web();
let model: FakeAnthropic;
let trap: Trap;
let userHome: string;
let world: ChatWorld;
const notes = () => join(world.project.workingDirectory ?? '', 'notes.md');

/** Each look has its own text: it waits for what belongs to it. */
const growing = (locale: string) => `It stays (${locale}).`;
const noting = (locale: string): (Reply | ModelScript)[] => [
  () => ({
    tool: 'Write',
    input: { file_path: notes(), content: '# Notes\n\nThe closing day is local.\n' },
  }),
  { tool: 'Bash', input: { command: 'rm notes.md', description: 'Tidy up' } },
  { text: [growing(locale), new Promise(() => undefined)] },
];

beforeAll(async () => {
  model = await startFakeAnthropic(
    playing({
      'Ask me': [
        { tool: 'AskUserQuestion', input: { questions: [ONE, MANY, FREE] } },
        (request) => ({ text: lastResults(request).map(resultText).join() }),
      ],
      'Note it (ja)': noting('ja'),
      'Note it (en)': noting('en'),
    }),
  );
  trap = await startTrap();
  userHome = await mkdtemp(join(tmpdir(), 'aizuchi-claude-user-'));
  await web.start(await claudeEnvironment(model, trap, userHome));
  world = await ChatWorld.make(web, 'prj_claude', { id: 'agt_claude', name: 'Claude', provider: 'claude' });
}, 120_000);
afterEach(() => web.closePages());
afterAll(async () => {
  await web.stop();
  await Promise.all([model.close(), trap.close(), rm(userHome, { recursive: true, force: true })]);
  expect(trap.addresses).toEqual([]);
}, 60_000);

test('trap 17: a question of the real Claude Code is answered by clicks, and the model reads the labels', async () => {
  const page = await web.signedIn({ locale: 'en', path: world.path });
  await new ChatPage(page).untilReady('Send');
  await world.post('Ask me');
  const card = new CardPage(page);
  await card.pending.waitFor();
  await card.option(0, 2).click();
  await card.submit.click();
  await card.option(1, 3).click();
  await card.option(1, 1).click();
  await card.submit.click();
  await card.other(2).click();
  await card.other(2).fill('切り捨て（税額だけ）');
  await screenshot(page, 'claude-question-en');
  await card.submit.click();
  await card.line('answered').waitFor();
  await expect.poll(async () => (await world.contents()).at(-1)).toContain('Settings table');
  const heard = model.requests.flatMap(lastResults).map(resultText).join();
  expect(heard).toContain(`"${ONE.question}"="Settings table"`);
  expect(heard).toContain(`"${MANY.question}"="単体, 画面"`);
  expect(heard).toContain(`"${FREE.question}"="切り捨て（税額だけ）"`);
});

test.each(LOOKS)(
  'in $locale, $width px: a request allowed, one denied with a note, a diff, and Stop',
  async (look) => {
    const isJa = look.locale === 'ja';
    await rm(notes(), { force: true });
    const page = await web.signedIn({ ...look, path: world.path });
    const chat = new ChatPage(page);
    await chat.untilReady(isJa ? '送信' : 'Send');
    await chat.say(`Note it (${look.locale})`);
    const card = page.locator('[data-testid^=approval-card-]').last();
    const button = (name: string) => card.locator(`[data-testid^=approval-${name}-]`);
    await card.getByText('notes.md').first().waitFor();
    await expectGoodLook(page, `claude-approval-${look.locale}-${look.width}`);
    await button('allow-once').click();
    await card.getByText('rm notes.md').first().waitFor();
    await button('deny').first().click();
    await button('note').fill('Keep it.');
    await button('deny-send').click();
    await page.getByText(growing(look.locale)).waitFor();
    expect(model.requests.flatMap(lastResults).map(resultText).join()).toContain('Keep it.');
    await page.getByTestId('chat-stop').click();
    const answer = page.locator('[data-testid^="chat-message-"]').filter({ hasText: growing(look.locale) });
    await answer.locator('[data-testid^="chat-steps-toggle-"]').click();
    const steps = answer.locator('[data-testid^="chat-steps-msg_"]');
    const edit = steps.locator('[data-testid^="chat-step-"]').filter({ hasText: 'notes.md' }).first();
    if ((await edit.getAttribute('aria-expanded')) !== 'true') await edit.click();
    await steps.getByTestId('step-diff').getByText('The closing day is local.').waitFor();
    await expectGoodLook(page, `claude-steps-${look.locale}-${look.width}`);
    expect(await readFile(notes(), 'utf8')).toContain('# Notes');
  },
);

test('its models are offered on its page after its start, and to the next agent of its kind', async () => {
  const page = await web.signedIn({ locale: 'en', path: `/agents/${world.agentId}`, height: 1_500 });
  const known = page.getByTestId('agent-models-known').getByText('offered by the provider');
  await known.waitFor({ timeout: 60_000 });
  await screenshot(page, 'claude-models-en');
  await page
    .getByTestId('agent-models')
    .getByRole('radio', { name: /^sonnet/ })
    .check();
  await expect.poll(() => page.getByTestId('agent-model').inputValue()).toMatch(/^sonnet/);
  await page.goto('/settings/agents');
  await page.getByTestId('agent-new').click();
  await page.getByTestId('agent-provider-claude').check();
  await known.waitFor();
});
