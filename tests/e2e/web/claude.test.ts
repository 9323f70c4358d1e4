import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { taskSchema } from '@aizuchi/shared/contract/task';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import {
  type FakeAnthropic,
  lastResults,
  lastSaid,
  type ModelRequest,
  type ModelScript,
  playing,
  type Reply,
  resultText,
  startFakeAnthropic,
} from '../../fixtures/fake-anthropic.ts';
import { ProjectRepository } from '../../fixtures/project-repository.ts';
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

const PLAN = 'plan.md';
const planIn = ({ system, messages }: ModelRequest) => {
  const said = JSON.stringify([system, messages]).matchAll(/Primary working directory: ([^\s"\\]+)/g);
  return join([...said].at(-1)?.[1] ?? '', PLAN);
};
/** What a task says is found by its title: instructions stand around it. */
const onTask = (
  title: string,
  replies: readonly (Reply | ModelScript)[],
  others: ModelScript,
): ModelScript => {
  let left: (Reply | ModelScript)[] = [];
  return (request) => {
    if (lastResults(request).length === 0 && lastSaid(request).includes(title)) left = [...replies];
    const next = left.shift() ?? others;
    return typeof next === 'function' ? next(request) : next;
  };
};

beforeAll(async () => {
  const chats = playing({
    'Ask me': [
      { tool: 'AskUserQuestion', input: { questions: [ONE, MANY, FREE] } },
      (request) => ({ text: lastResults(request).map(resultText).join() }),
    ],
    'Note it (ja)': noting('ja'),
    'Note it (en)': noting('en'),
  });
  const task = onTask(
    'Rewrite the plan',
    [
      (request) => ({ tool: 'Read', input: { file_path: planIn(request) } }),
      (request) => ({ tool: 'Write', input: { file_path: planIn(request), content: 'two\n' } }),
      { tool: 'mcp__aizuchi__report_completed', input: { result: 'done', summary: 'It says two.' } },
      { text: 'Finished.' },
    ],
    chats,
  );
  model = await startFakeAnthropic(task);
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

test('it works on a task in a worktree: diff, log and tokens stand on the task', async () => {
  const { project, agentId } = await ChatWorld.make(web, 'prj_claude_task', {
    id: 'agt_claude_task',
    name: 'Claude',
    provider: 'claude',
  });
  const home = web.product.environment.AIZUCHI_HOME ?? '';
  await ProjectRepository.make(home, project.workingDirectory ?? '', { [PLAN]: 'one\n' });
  await web.owner.call(z.unknown(), 'PATCH', `/projects/${project.id}`, {
    isolation: 'worktree',
    permissionPolicy: 'allow_edits',
  });
  const task = await web.owner.call(taskSchema, 'POST', `/projects/${project.id}/tasks`, {
    title: 'Rewrite the plan',
    status: 'todo',
    assigneeId: agentId,
  });
  const page = await web.signedIn({ locale: 'en', path: `/projects/${project.id}?task=${task.id}` });
  await page.getByTestId(`task-card-${task.id}`).getByRole('link').first().focus();
  await page.keyboard.press('Shift+ArrowRight');
  await page.getByTestId('column-done').getByTestId(`task-card-${task.id}`).waitFor();
  const panel = page.getByTestId('task-panel');
  await panel.getByTestId('task-activity').locator('article').getByText('It says two.').waitFor();
  await panel.getByTestId('task-attempt-usage').getByText('tokens').waitFor();
  const changes = panel.getByRole('region', { name: 'Changes of Claude' });
  await changes.getByText(PLAN).click();
  await changes.getByText('two', { exact: true }).waitFor();
  await panel.getByRole('button', { name: 'Log of attempt 1' }).click();
  await panel.getByTestId('task-log').getByText('step done').first().waitFor();
  await expectGoodLook(page, 'claude-task-en-1440');
});

test('its models are offered on its page after its start, and to the next agent of its kind', async () => {
  const page = await web.signedIn({ locale: 'en', path: `/agents/${world.agentId}`, height: 1_500 });
  const known = page.getByTestId('agent-models-known').getByText('offered by the provider');
  await known.waitFor({ timeout: 60_000 });
  await screenshot(page, 'claude-models-en');
  await page
    .getByTestId('agent-models')
    .getByRole('radio', { name: /^sonnet/ })
    .check();
  expect(await page.getByTestId('agent-model').inputValue()).toMatch(/^sonnet/);
  await page.goto('/settings/agents');
  await page.getByTestId('agent-new').click();
  await page.getByTestId('agent-provider-claude').check();
  await known.waitFor();
});
