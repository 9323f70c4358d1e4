import { type Approval, approvalPageSchema } from '@aizuchi/shared/contract/approval';
import { projectSchema } from '@aizuchi/shared/contract/project';
import type { Locator, Page, Route } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { expectNoViolations } from './support/axe.ts';
import { ChatPage } from './support/chat-world.ts';
import { expectGoodLook, LOOKS } from './support/look.ts';
import { screenshot } from './support/screenshot.ts';
import type { ScriptedRequest } from './support/scripted-turn.ts';
import { ScriptedChat } from './support/scripted-world.ts';
import { useOwnWeb } from './support/web.ts';

const web = useOwnWeb();
const MORI = { id: 'mori', name: 'Mori', passkey: 'morning-glory', accessLevel: 'member' };
const READER = { id: 'reader', name: 'Reader', passkey: 'passkey-of-a-reader', accessLevel: 'viewer' };
let scripted: ScriptedChat;

beforeAll(async () => {
  scripted = await ScriptedChat.make(web, 'approves', 'Backend Worker');
  for (const { id, name, passkey, accessLevel } of [MORI, READER]) {
    await web.owner.call(z.unknown(), 'POST', '/agents', { id, name, accessLevel, type: 'human' });
    await web.owner.call(z.unknown(), 'POST', `/agents/${id}/passkey`, { passkey });
    await web.owner.call(z.unknown(), 'PUT', `/projects/${scripted.world.project.id}/agents/${id}`);
  }
});

/** What a failed test has left open would be asked in the next one. */
afterEach(async () => {
  const { project, agentId } = scripted.world;
  await web.owner.call(z.unknown(), 'POST', `/projects/${project.id}/agents/${agentId}/chat/interrupt`);
});

const MIGRATION: ScriptedRequest = {
  tool: 'Bash',
  kind: 'command',
  summary: 'Run the migration on the shared database\nAdds one table on staging. It can be rolled back.',
  input: { command: 'pnpm db:migrate --env staging \\\n  --to 0042_webhook_keys', timeout: 60_000 },
};
const EDIT: ScriptedRequest = {
  tool: 'Edit',
  kind: 'edit',
  summary: 'Change src/keys.ts',
  session_scope: 'all changes of files \u202ein src',
  input: {
    file_path: 'src/keys.ts',
    old_string: 'export const KEY = readKey();',
    new_string: 'export const KEY = readKey(env);\nexport const OLD_KEY = readKey(old);',
  },
};
const TWO_COMMANDS: ScriptedRequest = {
  tool: 'exec',
  kind: 'command',
  summary: 'List the files',
  input: { command: 'ls', cwd: '/srv', timeout: 5, cmd: 'rm -rf build' },
};
const LARGE: ScriptedRequest = {
  tool: 'Write',
  kind: 'edit',
  summary: 'Write src/table.ts',
  input: {
    file_path: 'src/table.ts',
    content: Array.from({ length: 5_000 }, (_, row) => `${row}`).join('\n'),
  },
};
const OTHER: ScriptedRequest = {
  tool: 'mcp__deploy__release',
  kind: 'other',
  summary: 'Release \u202eversion 2',
  input: { steps: Array.from({ length: 20 }, (_, step) => `step ${step + 1}`) },
};

const pending = async (): Promise<readonly Approval[]> =>
  (
    await web.owner.call(
      approvalPageSchema,
      'GET',
      `/projects/${scripted.world.project.id}/approvals?status=pending`,
    )
  ).approvals.toReversed();

/** The agent asks for these; resolves with the approvals in the same order. */
async function asks(...requests: ScriptedRequest[]): Promise<readonly Approval[]> {
  const step = { id: 'e1', kind: 'edit', title: 'Edited src/keys.sql', status: 'done' };
  const diff = { path: 'src/0042_webhook_keys.sql', before: '', after: 'create table webhook_keys ();' };
  await scripted.put(
    'turn.json',
    JSON.stringify([
      { step: { ...step, diff } },
      { text: 'The column is ready. What remains is the migration.' },
      { request: requests },
      { answer: 'Done.' },
    ]),
  );
  await scripted.world.post('Please.');
  await expect.poll(async () => (await pending()).length).toBe(requests.length);
  const open = await pending();
  return requests.flatMap(({ summary }) => open.find((one) => one.summary === summary) ?? []);
}

/** The server gets the first request, and the page not its response. */
function losesFirstResponse(): (route: Route) => Promise<void> {
  let isFirst = true;
  return async (route) => {
    if (!isFirst) return route.continue();
    isFirst = false;
    await route.fetch();
    return route.abort('connectionreset');
  };
}

const untilHeard = (text: string) =>
  expect.poll(async () => (await scripted.world.contents()).at(-1)).toContain(text);

/** A card as a person uses it. */
class ApprovalCard {
  readonly root: Locator;
  readonly #page: Page;
  readonly #id: string;

  constructor(page: Page, approval: Approval | undefined) {
    this.#page = page;
    this.#id = approval?.id ?? '';
    this.root = page.getByTestId(`approval-card-${this.#id}`);
  }

  button(name: 'allow-once' | 'allow-session' | 'deny' | 'deny-send'): Locator {
    return this.#page.getByTestId(`approval-${name}-${this.#id}`);
  }

  get note(): Locator {
    return this.#page.getByTestId(`approval-note-${this.#id}`);
  }

  async untilStatus(status: Approval['status']): Promise<void> {
    await this.#page.locator(`[data-testid="approval-card-${this.#id}"][data-status="${status}"]`).waitFor();
  }
}

describe.each(LOOKS)('$locale, $width px', (look) => {
  const suffix = `${look.locale}-${look.width}`;
  const isJapanese = look.locale === 'ja';

  test('three requests one under another: denied with a note, allowed for the session, allowed once', async () => {
    const page = await web.signedIn({ ...look, path: scripted.world.path });
    const chat = new ChatPage(page);
    await chat.untilReady(isJapanese ? '送信' : 'Send');
    const asked = await asks(MIGRATION, EDIT, OTHER);
    const [migration, edit, other] = asked.map((one) => new ApprovalCard(page, one));
    if (!migration || !edit || !other) throw new Error('Not all requests are there.');
    await page.locator('[data-testid="chat-status"][data-status="waiting_for_person"]').waitFor();
    await expect
      .poll(() => page.getByTestId('chat-status').textContent())
      .toMatch(isJapanese ? /許可を待っています · \d+:\d\d/ : /Waiting for approval · \d+:\d\d/);
    await edit.root.getByTestId('step-diff').waitFor();
    await other.root.getByText('U+202E').waitFor();
    const scope = edit.root.getByTestId(`approval-session-scope-${asked[1]?.id}`);
    await expect
      .poll(() => scope.textContent())
      .toMatch(
        isJapanese
          ? /^このセッション中に許可するもの: all changes/
          : /^For this session: all changes .*U\+202E.*in src$/,
      );
    await migration.root
      .getByText(isJapanese ? 'このセッション中に許可するもの' : 'For this session:')
      .waitFor({ state: 'detached' });
    await other.root.getByRole('button', { name: '24' }).waitFor();
    await expect.poll(() => chat.isAtEnd()).toBe(true);
    await expectGoodLook(page, `approvals-three-${suffix}`);

    await migration.button('deny').click();
    await migration.note.and(page.locator(':focus')).waitFor();
    await page.keyboard.type('Please run it after lunch');
    await expect.poll(() => migration.note.inputValue()).toBe('Please run it after lunch');
    await migration.root.scrollIntoViewIfNeeded();
    await expectGoodLook(page, `approval-note-${suffix}`);
    await page.keyboard.press('Escape');
    await migration.note.waitFor({ state: 'detached' });
    await migration.button('deny').click();
    await expect.poll(() => migration.note.inputValue()).toBe('Please run it after lunch');
    await migration.button('deny-send').click();
    await migration.untilStatus('denied');
    await edit.button('allow-session').click();
    await edit.untilStatus('allowed_session');
    await other.button('allow-once').click();
    await other.untilStatus('allowed_once');
    await untilHeard('denied Please run it after lunch');
    await untilHeard('Change src/keys.ts: allowed_session');
    await expect
      .poll(() => migration.root.textContent())
      .toMatch(/pnpm db:migrate.*Please run it after lunch/);
    await page.locator('article[aria-busy="true"]').waitFor({ state: 'detached' });
    await expectGoodLook(page, `approvals-decided-${suffix}`);
    await migration.root.locator('summary').first().click();
    await page.reload();
    await migration.untilStatus('denied');
    await edit.untilStatus('allowed_session');
  });

  test('a command that is named twice is shown twice; a large edit unfolds in portions', async () => {
    const page = await web.signedIn({ ...look, path: scripted.world.path });
    await new ChatPage(page).untilReady(isJapanese ? '送信' : 'Send');
    const [twice, large] = (await asks(TWO_COMMANDS, LARGE)).map((one) => new ApprovalCard(page, one));
    if (!twice || !large) throw new Error('Not all requests are there.');
    const input = twice.root.getByTestId('approval-more-input');
    await input.waitFor();
    await expect
      .poll(() => input.textContent())
      .toMatch(/cmd.*"cmd": "rm -rf build".*"cwd": "\/srv".*"timeout": 5/s);
    await twice.root.scrollIntoViewIfNeeded();
    await screenshot(page, `approval-named-twice-${suffix}`);
    const rows = () => large.root.locator('figure .grid').count();
    const more = large.root.getByTestId('diff-more');
    await more.waitFor();
    await expect.poll(rows).toBe(60);
    await expect
      .poll(() => large.root.textContent())
      .toContain(isJapanese ? 'ほかの 3000 行' : '3000 more lines');
    await large.root.scrollIntoViewIfNeeded();
    await expectGoodLook(page, `approval-doubts-${suffix}`);
    await more.click();
    await expect.poll(rows).toBe(360);
  });
});

test('number keys and Enter never approve, the focus stays, and Space does', async () => {
  const page = await web.signedIn({ locale: 'en', path: scripted.world.path });
  const chat = new ChatPage(page);
  await chat.untilReady('Send');
  await chat.input.focus();
  const [approval] = await asks(MIGRATION);
  const card = new ApprovalCard(page, approval);
  await card.untilStatus('pending');
  await expect.poll(() => page.locator('[data-testid="chat-input"]:focus').count()).toBe(1);
  for (const key of ['1', '2', '3', 'Enter']) await page.keyboard.press(key);
  await chat.input.fill('');
  await card.root.click({ position: { x: 20, y: 10 } });
  for (const key of ['1', 'Enter', 'y', ' ']) await page.keyboard.press(key);
  await card.button('allow-once').focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('1');
  await card.root.getByText('Enter never approves').waitFor();
  await screenshot(page, 'approval-enter-en');
  expect((await pending()).map(({ id }) => id)).toEqual([approval?.id]);
  // Its response is lost, so the page sends it again, and is told that somebody has decided.
  await page.route('**/api/approvals/*', losesFirstResponse());
  const refused = page.waitForResponse((response) => response.status() === 409);
  await page.keyboard.press('Space');
  await refused;
  await card.untilStatus('allowed_once');
  await untilHeard('allowed_once');
  await page.locator('article[aria-busy="true"]').waitFor({ state: 'detached' });
  await expect.poll(() => card.root.textContent()).not.toContain('decided');
});

test('two people: the first decision counts, and the other sees whose it was; a viewer has no buttons', async () => {
  const { path } = scripted.world;
  const mine = await web.signedIn({ locale: 'en', path });
  const hers = await web.signedIn({ locale: 'en', as: MORI, path });
  const reader = await web.signedIn({ locale: 'en', as: READER, path });
  const [approval] = await asks(MIGRATION);
  const [card, herCard, readersCard] = [mine, hers, reader].map((page) => new ApprovalCard(page, approval));
  if (!card || !herCard || !readersCard) throw new Error('Three pages were opened.');
  await readersCard.root.getByText('Viewers cannot decide').waitFor();
  await expect.poll(() => readersCard.root.getByRole('button').count()).toBe(0);
  await expectNoViolations(reader);
  await screenshot(reader, 'approval-viewer-en');
  await card.untilStatus('pending');
  let isHeld = true;
  await mine.route('**/api/approvals/*', async (route) => {
    await expect.poll(() => isHeld).toBe(false);
    await route.continue();
  });
  await card.button('allow-once').click();
  await expect.poll(() => card.button('allow-session').isDisabled()).toBe(true);
  await screenshot(mine, 'approval-sending-en');
  await herCard.button('deny').click();
  await herCard.button('deny-send').click();
  await herCard.untilStatus('denied');
  isHeld = false;
  await card.untilStatus('denied');
  await card.root.getByText('Mori decided first').waitFor();
  await screenshot(mine, 'approval-decided-first-en');
  await untilHeard('denied');
});

test('in the inbox a request is decided in its row; a stopped agent cancels it', async () => {
  const page = await web.signedIn({ locale: 'en', path: '/inbox' });
  const lists: string[] = [];
  page.on('request', (request) => {
    if (/\/(approvals|questions)\?/.test(request.url())) lists.push(request.url());
  });
  const [approval] = await asks(EDIT);
  const card = new ApprovalCard(page, approval);
  await page.getByTestId(`inbox-item-${approval?.id}`).waitFor();
  await card.untilStatus('pending');
  await card.root.getByTestId('step-diff').waitFor();
  await expectGoodLook(page, 'inbox-approval-en');
  await card.button('allow-session').click();
  await card.untilStatus('allowed_session');
  await untilHeard('allowed_session');
  const [next] = await asks(MIGRATION);
  const cancelled = new ApprovalCard(page, next);
  await cancelled.untilStatus('pending');
  await page.getByTestId(`inbox-item-${next?.id}`).getByRole('link', { name: 'Open chat' }).click();
  await page.waitForURL(`**?agent=*approval=${next?.id}`);
  await cancelled.untilStatus('pending');
  await page.getByTestId('chat-stop').click();
  await cancelled.untilStatus('cancelled');
  await expect.poll(() => cancelled.root.textContent()).toContain('a person stopped it');
  await screenshot(page, 'approval-cancelled-en');
  expect(lists.length).toBeGreaterThan(1);
  expect(lists.filter((url) => !url.includes(`agentId=${scripted.world.agentId}`))).toEqual([]);
});

test('an owner sets what agents may do; worktrees are offered', async () => {
  const path = `/projects/${scripted.world.project.id}/settings`;
  const page = await web.signedIn({ locale: 'en', path });
  await page.getByRole('radio', { name: /Allow edits/ }).check();
  await expect.poll(() => page.getByRole('radio', { name: /worktree/ }).isEnabled()).toBe(true);
  await page.getByRole('radio', { name: /Allow edits/ }).scrollIntoViewIfNeeded();
  await expectGoodLook(page, 'project-rules-en');
  await page.getByRole('button', { name: 'Save' }).first().click();
  const read = () => web.owner.call(projectSchema, 'GET', `/projects/${scripted.world.project.id}`);
  await expect.poll(async () => (await read()).permissionPolicy).toBe('allow_edits');
  await web.owner.call(z.unknown(), 'PATCH', `/projects/${scripted.world.project.id}`, {
    permissionPolicy: 'ask',
  });
  const egress = page.getByTestId('project-egress');
  await egress.getByRole('radio', { name: /Only these hosts/ }).check();
  await egress.getByRole('textbox').fill('Example.org\nhttps://example.com/');
  await egress.getByRole('alert').getByText('“https://example.com/” is not a host').waitFor();
  expect(await egress.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
  await egress.getByRole('textbox').fill('Example.org\n*.example.com:8443');
  await egress.getByRole('textbox').scrollIntoViewIfNeeded();
  await expectGoodLook(page, 'project-egress-en');
  await egress.getByRole('button', { name: 'Save' }).click();
  await expect.poll(async () => (await read()).egress).toEqual(['example.org', '*.example.com:8443']);
  const members = await web.signedIn({ locale: 'ja', width: 360, as: MORI, path });
  await members.getByRole('radio', { name: /人に確認する/ }).waitFor();
  const readOnly = members.getByTestId('project-egress').getByRole('textbox');
  expect(await readOnly.inputValue()).toBe('example.org\n*.example.com:8443');
  expect(await readOnly.isDisabled()).toBe(true);
  await readOnly.scrollIntoViewIfNeeded();
  await expectGoodLook(members, 'project-egress-ja-360');
  await egress.getByRole('radio', { name: /Everything their host allows/ }).check();
  await egress.getByRole('button', { name: 'Save' }).click();
  await expect.poll(async () => (await read()).egress).toBeUndefined();
  await expect.poll(() => members.getByRole('radio', { name: /人に確認する/ }).isDisabled()).toBe(true);
  await expectGoodLook(members, 'project-rules-ja-360');
});
