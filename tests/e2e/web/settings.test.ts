import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createdAgentSchema } from '@aizuchi/shared/contract/agent';
import { membershipSchema } from '@aizuchi/shared/contract/project';
import { settingsViewSchema } from '@aizuchi/shared/contract/settings';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ApiCaller } from './support/api-caller.ts';
import { expectNoViolations } from './support/axe.ts';
import { expectGoodLook, LOOKS } from './support/look.ts';
import { screenshot } from './support/screenshot.ts';
import { useOwnWeb } from './support/web.ts';

const web = useOwnWeb({ TURN_TIMEOUT_SECONDS: '1800' });
const run = promisify(execFile);

const sections = ['general', 'mcp', 'people', 'agents', 'tokens', 'about'] as const;

const readSettings = () => web.owner.call(settingsViewSchema, 'GET', '/settings');
const newPerson = (name: string, accessLevel: 'owner' | 'member' | 'viewer') =>
  web.owner.call(createdAgentSchema, 'POST', '/agents', {
    type: 'human',
    name,
    accessLevel,
    credential: true,
  });
const newAgent = (name: string) =>
  web.owner.call(createdAgentSchema, 'POST', '/agents', { type: 'ai', name });
const join = (aid: string) => web.owner.call(membershipSchema, 'PUT', `/projects/prj_welcome/agents/${aid}`);

test.each(LOOKS)('every section without violations in $locale, $width px', async (look) => {
  const suffix = `${look.locale}-${look.width}`;
  const page = await web.signedIn({ ...look, path: '/settings' });
  for (const section of sections) {
    await page.getByTestId(`settings-${section}`).click();
    await page.locator(`[data-testid=settings-${section}][aria-current=page]`).waitFor();
    await page
      .getByRole('status')
      .getByText(/読み込み中|Loading/)
      .waitFor({ state: 'detached' });
    await expectGoodLook(page, `settings-${section}-${suffix}`);
  }
  await page.goto('/agents/owner');
  await page.getByRole('main').locator('.select-all').waitFor();
  await expectGoodLook(page, `person-${suffix}`);
});

describe('MCP Server', () => {
  test('the TTL offers 1, 2, 5, 10, 30 minutes, is stored at once, and takes effect', async () => {
    await web.owner.call(settingsViewSchema, 'PUT', '/settings', { pendingPurposeTtlSeconds: null });
    const page = await web.signedIn({ locale: 'ja', path: '/settings/mcp' });
    const ttl = page.getByTestId('settings-ttl');
    await ttl.waitFor();
    await expect
      .poll(() => ttl.locator('option').allTextContents())
      .toEqual(['1 分', '2 分', '5 分', '10 分', '30 分']);
    await expect.poll(() => ttl.inputValue()).toBe('300');
    await ttl.selectOption('60');
    await expect.poll(async () => (await readSettings()).pendingPurposeTtlSeconds).toBe(60);
    await page.reload();
    await expect.poll(() => ttl.inputValue()).toBe('60');
    await web.owner.call(settingsViewSchema, 'PUT', '/settings', { pendingPurposeTtlSeconds: 2 });
    await page.reload();
    await expect.poll(() => ttl.locator('option').allTextContents()).toContain('2 秒');
    // No process starts this agent: its wake-up exists as long as the page says.
    const idle = await web.owner.call(createdAgentSchema, 'POST', '/agents', {
      type: 'ai',
      name: 'Nobody starts it',
      credential: false,
    });
    await join(idle.id);
    const chat = `/projects/prj_welcome/agents/${idle.id}/chat`;
    await web.owner.call(z.unknown(), 'POST', `${chat}/messages`, { content: 'Hello?' });
    const failed = z.object({ messages: z.array(z.object({ sender: z.string() })) });
    await expect
      .poll(async () => (await web.owner.call(failed, 'GET', `${chat}/messages`)).messages)
      .toContainEqual({ sender: 'system' });
    await web.owner.call(settingsViewSchema, 'PUT', '/settings', { pendingPurposeTtlSeconds: null });
  });

  test('whom a resting pointer starts is chosen here', async () => {
    const page = await web.signedIn({ locale: 'en', path: '/settings/mcp' });
    const warm = page.getByTestId('settings-warm');
    await warm.waitFor();
    await expect.poll(() => warm.inputValue()).toBe('1');
    await warm.selectOption({ label: 'All agents' });
    await expect.poll(async () => (await readSettings()).warmOnHover).toBe(2);
    await web.owner.call(settingsViewSchema, 'PUT', '/settings', { warmOnHover: null });
  });

  test('a setting from a variable is shown and cannot be changed', async () => {
    const page = await web.signedIn({ locale: 'en', path: '/settings/mcp' });
    await page.getByTestId('settings-turn').getByText('30 minutes').waitFor();
    await page.getByTestId('settings-turn').getByText('Set by environment').waitFor();
    await expect.poll(() => page.locator('select[data-testid=settings-turn]').count()).toBe(0);
  });

  test('the copied commands sign the agent in and name the real server', async () => {
    const agent = await newAgent('By hand');
    await join(agent.id);
    const page = await web.signedIn({ locale: 'en', path: '/settings/mcp' });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByLabel('Agent', { exact: true }).selectOption(agent.id);
    await page.getByLabel('Project', { exact: true }).selectOption('prj_welcome');
    const copied = () => page.evaluate<string>('navigator.clipboard.readText()');
    await page.getByTestId('mcp-authenticate-copy').click();
    // Not the label of the button, which says it for two seconds only.
    await expect.poll(copied).toContain(agent.id);
    const script = await copied();
    const { stdout } = await execa('bash', ['-c', `${script}\necho "TOKEN=$AIZUCHI_SESSION_TOKEN"`], {
      input: `${agent.passkey ?? ''}\n`,
    });
    expect(stdout).toMatch(/TOKEN=\S{20,}/);
    const line = await page.getByTestId('mcp-line').textContent();
    expect(line).toContain(web.product.environment.AIZUCHI_MCP_URL);
    await expect
      .poll(() => page.getByTestId('mcp-url').textContent())
      .toBe(web.product.environment.AIZUCHI_MCP_URL);
    // The shell only parses the line and does not run it.
    await run('bash', ['-n', '-c', line ?? '']);
  });
});

describe('people', () => {
  test('a person is added with an access level, and comes by a link that works once', async () => {
    const page = await web.signedIn({ locale: 'en', path: '/settings/people' });
    await page.getByTestId('person-new').click();
    await page.getByTestId('person-name').fill('Mori');
    await page.getByTestId('person-id').fill('mori');
    await page.getByTestId('person-level').selectOption('viewer');
    await expectNoViolations(page);
    await page.getByTestId('person-save').click();
    const link = (await page.getByTestId('invite-once').textContent()) ?? '';
    await page.keyboard.press('Escape');
    await page.getByTestId('close-question').waitFor();
    await screenshot(page, 'settings-passkey-once-en');
    await expectNoViolations(page);
    await page.getByTestId('close-stay').click();
    await page.getByRole('button', { name: 'Done' }).click();
    await expect.poll(() => page.getByText(link).count()).toBe(0);
    const hers = await web.page({ locale: 'en', width: 360 });
    await hers.goto(link);
    await hers.locator('[data-testid=passkey-new]:focus').waitFor();
    // Who signs out now cannot come back by the link.
    await hers.getByTestId('account-menu').click();
    await hers.getByTestId('sign-out').click();
    await hers.getByRole('dialog').getByText('works only once').waitFor();
    await screenshot(hers, 'settings-sign-out-without-passkey-en');
    await hers.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await hers.getByTestId('passkey-new').fill('morning-glory');
    await hers.getByTestId('passkey-save').click();
    await hers.getByTestId('passkey-change').waitFor();
    await ApiCaller.signIn(web.url, 'mori', 'morning-glory');
    const late = await web.page({ locale: 'en' });
    await late.goto(link);
    await late.getByRole('alert').waitFor();
    await expect.poll(() => page.getByTestId('person-level-mori').inputValue()).toBe('viewer');
    await page.getByTestId('person-level-mori').selectOption('member');
    const agent = createdAgentSchema;
    await expect
      .poll(async () => (await web.owner.call(agent, 'GET', '/agents/mori')).accessLevel)
      .toBe('member');
  });

  test('a new passkey invalidates the old one; a removed person is no longer listed', async () => {
    const person = await newPerson('Kato', 'member');
    const page = await web.signedIn({ locale: 'en', path: '/settings/people' });
    await page.getByRole('button', { name: 'More for Kato' }).click();
    await page.getByTestId(`person-passkey-${person.id}`).click();
    await page.getByTestId('passkey-reset').click();
    const passkey = (await page.getByTestId('passkey-once').textContent()) ?? '';
    await ApiCaller.signIn(web.url, person.id, passkey);
    await page.getByRole('button', { name: 'Done' }).click();
    // A dialog that goes gives the focus back, and would close a menu that was opened meanwhile.
    await page.getByTestId('passkey-once').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'More for Kato' }).click();
    await page.getByTestId(`person-remove-${person.id}`).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByTestId(`person-${person.id}`).waitFor({ state: 'detached' });
  });

  test('the last owner cannot be removed, and is shown why', async () => {
    const page = await web.signedIn({ locale: 'en', path: '/settings/people' });
    await page.getByTestId('person-level-owner').selectOption('member');
    await page.getByTestId('person-owner').getByText('Make somebody else an owner first').waitFor();
    await expect.poll(() => page.getByTestId('person-level-owner').inputValue()).toBe('owner');
  });

  test('a member can read, and has no controls to change anything', async () => {
    const person = await newPerson('Abe', 'member');
    await join(person.id);
    const as = { id: person.id, passkey: person.passkey ?? '' };
    const page = await web.signedIn({ locale: 'en', as, path: '/settings/people' });
    await page.getByTestId(`person-${person.id}`).waitFor();
    await expect.poll(() => page.getByTestId('person-new').count()).toBe(0);
    await page.getByTestId('settings-mcp').click();
    await page.getByTestId('mcp-owners-only').waitFor();
    await page.goto('/agents/agt_welcome_guide');
    await page.getByTestId('agent-in-prj_welcome').waitFor();
    await expect.poll(() => page.getByTestId('agent-save').count()).toBe(0);
    await expectNoViolations(page);
  });
});

test('a token is shown once, works, and is revoked', async () => {
  const page = await web.signedIn({ locale: 'en', path: '/settings/tokens' });
  // The token is shown while the list of all is still being read again.
  const list = Promise.withResolvers<void>();
  await page.getByText('No tokens yet').waitFor();
  await page.route(/\/tokens\?/, async (route) => {
    await list.promise;
    await route.fallback();
  });
  await page.getByTestId('token-new').click();
  await page.getByTestId('token-name').fill('backup script');
  await page.getByTestId('token-save').click();
  const token = (await page.getByTestId('token-once').textContent()) ?? '';
  list.resolve();
  const me = () => fetch(`${web.url}/api/auth/me`, { headers: { authorization: `Bearer ${token}` } });
  expect((await me()).status).toBe(200);
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByText('backup script').waitFor();
  await page.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('No tokens yet').waitFor();
  expect((await me()).status).toBe(401);
});

describe('general', () => {
  test('language, theme and the key that sends are stored', async () => {
    const page = await web.signedIn({ locale: 'ja', path: '/settings/general' });
    await page.getByTestId('settings-language').selectOption('en');
    await page.getByRole('heading', { name: 'General' }).waitFor();
    await page.getByTestId('settings-theme').selectOption('dark');
    await page.getByTestId('settings-send-key').selectOption('enter');
    await page.reload();
    await page.getByRole('heading', { name: 'General' }).waitFor();
    await expect.poll(() => page.locator('html').getAttribute('data-theme')).toBe('dark');
    await expect.poll(() => page.getByTestId('settings-send-key').inputValue()).toBe('enter');
  });

  test('own name and passkey; a wrong current passkey is reported beside the field and ends no session', async () => {
    const person = await newPerson('Sato', 'member');
    const as = { id: person.id, passkey: person.passkey ?? '' };
    const page = await web.signedIn({ locale: 'en', as, path: '/settings/general' });
    await page.getByTestId('settings-name').fill('Sato Aya');
    await page.getByTestId('settings-name-save').click();
    await page.getByRole('button', { name: 'Menu of Sato Aya' }).waitFor();
    await page.getByTestId('passkey-change').click();
    await page.getByTestId('passkey-current').fill('not the one');
    await page.getByTestId('passkey-new').fill('a-better-passkey');
    await page.getByTestId('passkey-save').click();
    await page.getByText('The current passkey is wrong.').waitFor();
    await expectNoViolations(page);
    await page.getByTestId('passkey-current').fill(as.passkey);
    await page.getByTestId('passkey-save').click();
    await page.getByTestId('passkey-change').waitFor();
    await ApiCaller.signIn(web.url, person.id, 'a-better-passkey');
  });
});

test('about: shows the version and a live Coordinator', async () => {
  const page = await web.signedIn({ locale: 'en', path: '/settings/about' });
  await page.getByText('Running').waitFor();
  await page.getByText('Version').waitFor();
});
