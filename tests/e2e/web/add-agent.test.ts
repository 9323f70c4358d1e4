import { agentPageSchema, agentSchema } from '@aizuchi/shared/contract/agent';
import { messagePageSchema } from '@aizuchi/shared/contract/chat';
import { projectSchema } from '@aizuchi/shared/contract/project';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { expectNoViolations } from './support/axe.ts';
import { ChatPage } from './support/chat-world.ts';
import { isInView } from './support/in-view.ts';
import { expectGoodLook, LOOKS } from './support/look.ts';
import { screenshot } from './support/screenshot.ts';
import { useWeb } from './support/web.ts';

const web = useWeb();

const newProject = (name: string) => web.owner.call(projectSchema, 'POST', '/projects', { name });
const members = async (pid: string) =>
  (await web.owner.call(agentPageSchema, 'GET', `/projects/${pid}/agents`)).agents;

test.each(LOOKS)(
  'an agent is added in a project, and greeted in its open chat, in $locale, $width px',
  async (look) => {
    const project = await newProject(`Gateway ${look.locale}`);
    const page = await web.signedIn({ ...look, path: `/projects/${project.id}` });
    const opener =
      look.width === 360
        ? page.getByRole('link', { name: 'Add agent' })
        : page.getByTestId('project-new-agent');
    await opener.click();
    const dialog = page.getByTestId('agent-dialog');
    await dialog.getByTestId('agent-name').fill('Release Helper');
    await expectGoodLook(page, `add-agent-${look.locale}-${look.width}`);
    await dialog.getByTestId('agent-save').click();
    await page.getByTestId('chat-panel').waitFor();
    await dialog.waitFor({ state: 'detached' });
    await new ChatPage(page).untilAnswers(1);
    await expect.poll(() => new URL(page.url()).searchParams.has('add')).toBe(false);
    const [agent] = await members(project.id);
    expect(agent).toMatchObject({ name: 'Release Helper', provider: 'builtin', hasCredential: true });
    const chat = `/projects/${project.id}/agents/${agent?.id}/chat/messages`;
    const { messages } = await web.owner.call(messagePageSchema, 'GET', chat);
    expect(messages[0]?.content).toMatch(/^(【接続テスト】|\[Connection test\])/);
    await expectGoodLook(page, `added-agent-${look.locale}-${look.width}`);
  },
);

test('at 200 % zoom the buttons of the longest dialog stay in view, and Tab leads to no field under them', async () => {
  const project = await newProject('Zoomed');
  // A window of 1280 × 800.
  const page = await web.signedIn({
    locale: 'en',
    width: 640,
    height: 400,
    path: `/projects/${project.id}?add=agent`,
  });
  const dialog = page.getByTestId('agent-dialog');
  const save = page.getByTestId('agent-save');
  await page.getByTestId('agent-more').locator('summary').press('Enter');
  await expect.poll(() => isInView(save)).toBe(true);
  await page.getByTestId('agent-name').focus();
  const seen = [];
  while (!(await save.evaluate((element) => element.matches(':focus'))) && seen.length < 30) {
    const focused = dialog.locator(':focus');
    seen.push(await focused.getAttribute('name'));
    await expect.poll(() => isInView(focused), { message: `stop ${seen.length}` }).toBe(true);
    await page.keyboard.press('Tab');
  }
  expect(seen).toContain('id');
  await expect.poll(() => isInView(save)).toBe(true);
  await screenshot(page, 'add-agent-en-zoomed');
});

test('with keys alone: the name has the focus, Ctrl+Enter adds, the chat gets the focus; Esc leaves', async () => {
  const project = await newProject('Keys');
  const page = await web.signedIn({ locale: 'en', path: `/projects/${project.id}` });
  const opener = page.getByTestId('project-new-agent');
  const name = page.getByTestId('agent-name');
  await opener.focus();
  await page.keyboard.press('Enter');
  await name.waitFor();
  await expect.poll(() => name.evaluate((element) => element.matches(':focus'))).toBe(true);
  await page.keyboard.press('Escape');
  await name.waitFor({ state: 'detached' });
  await expect.poll(() => opener.evaluate((element) => element.matches(':focus'))).toBe(true);
  await page.keyboard.press('Enter');
  await name.and(page.locator(':focus')).waitFor();
  await page.keyboard.type('Typist');
  await page.getByTestId('agent-provider-acp').focus();
  await page.keyboard.press('ArrowRight');
  await page.getByTestId('agent-base-url').waitFor();
  await page.keyboard.press('ArrowLeft');
  await page.getByTestId('agent-base-url').waitFor({ state: 'detached' });
  await page.getByTestId('agent-provider-builtin').check();
  await page.getByTestId('agent-name').focus();
  await page.keyboard.press('Control+Enter');
  const input = page.getByTestId('chat-input');
  await input.waitFor();
  await expect.poll(() => input.evaluate((element) => element.matches(':focus'))).toBe(true);
});

test('an agent that cannot join is not made twice: the form says why, and keeps what was typed', async () => {
  const project = await newProject('Twice');
  const twin = await web.owner.call(agentSchema, 'POST', '/agents', { type: 'ai', name: 'Twin' });
  await web.owner.call(z.unknown(), 'PUT', `/projects/${project.id}/agents/${twin.id}`);
  const page = await web.signedIn({ locale: 'en', path: `/projects/${project.id}?add=agent` });
  await page.getByTestId('agent-name').fill('Twin');
  await page.getByTestId('agent-hello').uncheck();
  await page.getByTestId('agent-save').click();
  await page
    .getByTestId('agent-dialog')
    .getByRole('alert')
    .getByText('It could not join the project')
    .waitFor();
  await expectNoViolations(page);
  await page.getByTestId('agent-name').fill('Other twin');
  await page.getByTestId('agent-save').click();
  await page.getByTestId('chat-panel').waitFor();
  expect((await members(project.id)).map(({ name }) => name).sort()).toEqual(['Other twin', 'Twin']);
  const { agents } = await web.owner.call(agentPageSchema, 'GET', '/agents?limit=200');
  expect(agents.filter(({ name }) => name.toLowerCase().includes('twin'))).toHaveLength(2);
});

test.each([
  ['ja', /npm run add-claude を実行/],
  ['en', /If it is not there: npm run add-claude/],
] as const)(
  'in %s a Claude Code agent needs only a name, and the dialog says where it comes from',
  async (locale, hint) => {
    const page = await web.signedIn({ locale, path: '/settings/agents' });
    await page.getByTestId('agent-new').click();
    await page.getByTestId('agent-provider-claude').check();
    await page.getByTestId('agent-name').fill('Claude');
    await page.getByRole('dialog').getByText(hint).waitFor();
    await page.getByTestId('agent-models').getByRole('radio', { name: 'sonnet' }).check();
    await expect.poll(() => page.getByTestId('agent-model').inputValue()).toBe('sonnet');
    await page.getByTestId('agent-more').locator('summary').press('Enter');
    await page.getByTestId('agent-id').fill(`claude-${locale}`);
    await page.getByTestId('agent-project').selectOption('');
    await expectGoodLook(page, `add-agent-claude-${locale}`);
    await page.getByTestId('agent-save').click();
    await page.waitForURL(`**/agents/claude-${locale}`);
    expect(await web.owner.call(agentSchema, 'GET', `/agents/claude-${locale}`)).toMatchObject({
      provider: 'claude',
      model: 'sonnet',
    });
  },
);

test('a known program that speaks the Agent Client Protocol is an agent with one click', async () => {
  const page = await web.signedIn({ locale: 'en', path: '/settings/agents' });
  await page.getByTestId('agent-new').click();
  await page.getByTestId('agent-provider-acp').check();
  await page.getByTestId('agent-preset-codex').click();
  await page.getByTestId('agent-preset-gemini').click();
  await expect.poll(() => page.getByTestId('agent-name').inputValue()).toBe('Gemini CLI');
  await page.getByTestId('agent-preset-install').getByText('npm install -g @google/gemini-cli').waitFor();
  await page.getByTestId('agent-more').locator('summary').press('Enter');
  await page.getByTestId('agent-id').fill('gemini');
  await page.getByTestId('agent-project').selectOption('');
  await expectGoodLook(page, 'add-agent-program-en');
  await page.getByTestId('agent-save').click();
  await page.waitForURL('**/agents/gemini');
  expect(await web.owner.call(agentSchema, 'GET', '/agents/gemini')).toMatchObject({
    name: 'Gemini CLI',
    provider: 'acp',
    command: { file: 'gemini', args: ['--acp'] },
  });
  await page.getByTestId('agent-preset-gemini').and(page.locator('[aria-pressed=true]')).waitFor();
});

test('from the settings: the fields of the provider, a project to join, and else the page of the agent', async () => {
  const page = await web.signedIn({ locale: 'en', path: '/settings/agents' });
  await page.getByTestId('agent-new').click();
  await page.getByTestId('agent-name').fill('Runner');
  await page.getByTestId('agent-provider-openai').check();
  await page.getByTestId('agent-base-url').fill('http://127.0.0.1:11434/v1');
  // Without a model the form is not sent.
  await page.getByTestId('agent-save').click();
  await expect
    .poll(() => page.getByTestId('agent-model').evaluate((element) => element.matches(':focus')))
    .toBe(true);
  await page.getByTestId('agent-model').fill('qwen3:8b');
  await page.getByTestId('agent-base-url').fill('localhost:11434');
  await page.getByTestId('agent-save').click();
  await page
    .getByRole('alert')
    .getByText(/^The address of the model is not valid\./)
    .waitFor();
  await page.getByTestId('agent-provider-command').check();
  await page.getByTestId('agent-file').fill('node');
  await page.getByTestId('agent-args').fill('agent.mjs\n--quiet');
  await page.getByTestId('agent-more').locator('summary').press('Enter');
  await page.getByTestId('agent-prompt').fill('Be brief.');
  await page.getByTestId('agent-id').fill('runner');
  await page.getByTestId('agent-project').selectOption('');
  await expectGoodLook(page, 'add-agent-command-en');
  await page.getByTestId('agent-save').click();
  await page.waitForURL('**/agents/runner');
  expect(await web.owner.call(agentSchema, 'GET', '/agents/runner')).toMatchObject({
    provider: 'command',
    command: { file: 'node', args: ['agent.mjs', '--quiet'] },
    systemPrompt: 'Be brief.',
  });
  const project = await newProject('Joined later');
  await page.reload();
  await page.getByTestId('agent-join').click();
  await page.getByTestId(`agent-join-${project.id}`).click();
  await page.getByTestId(`agent-in-${project.id}`).waitFor();
  await page.getByTestId('agent-passkey').click();
  await page.getByTestId('passkey-reset').click();
  expect((await page.getByTestId('passkey-once').textContent())?.length).toBeGreaterThan(20);
  await page.getByRole('button', { name: 'Done' }).click();
  // A dialog that goes gives the focus back, and would close a menu that was opened meanwhile.
  await page.getByTestId('passkey-once').waitFor({ state: 'detached' });
  await page.getByTestId('agent-menu').click();
  await page.getByTestId('agent-delete').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.waitForURL('**/settings/agents');
});
