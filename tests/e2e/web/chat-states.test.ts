import pg from 'pg';
import { afterEach, expect, test } from 'vitest';
import { z } from 'zod';
import { databaseUrlOf } from '../start/product-process.ts';
import { ChatPage, ChatWorld } from './support/chat-world.ts';
import { COORDINATOR_TOKEN, PlayedAgent, PlayedCoordinator } from './support/hand-played.ts';
import { expectGoodLook } from './support/look.ts';
import { useOwnWeb } from './support/web.ts';

// The product starts nothing here: the tests act as the Coordinator and the agents.
const web = useOwnWeb({ AIZUCHI_SERVICES: 'rest-api,mcp-server', MCP_COORDINATOR_TOKEN: COORDINATOR_TOKEN });
const PASSKEY = 'passkey-of-an-agent';
const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const client of open.splice(0)) await client.close();
});

async function makeWorld(name: string): Promise<ChatWorld> {
  const world = await ChatWorld.make(web, `prj_${name}`, { id: `agt_${name}`, name: 'Reviewer' });
  await web.owner.call(z.unknown(), 'POST', `/agents/${world.agentId}/passkey`, { passkey: PASSKEY });
  return world;
}

async function signIn(world: ChatWorld): Promise<PlayedAgent> {
  const agent = await PlayedAgent.signIn(web, world, PASSKEY);
  open.push(agent);
  return agent;
}

/** The agent of a run that `coordinator` starts because its chat is opened. */
async function startedBy(
  coordinator: PlayedCoordinator,
  world: Pick<ChatWorld, 'agentId' | 'project'>,
): Promise<PlayedAgent> {
  await web.owner.call(
    z.unknown(),
    'POST',
    `/projects/${world.project.id}/agents/${world.agentId}/chat/start`,
  );
  await coordinator.beat(20);
  const { launch } = await coordinator.ask(world);
  if (!launch) throw new Error(`${world.agentId} was not started.`);
  const agent = await PlayedAgent.signIn(web, world, launch.ticket);
  open.push(agent);
  return agent;
}

/** Its first pause is a second, too short to be looked at. */
async function coolDownFor(pause: string, { agentId }: ChatWorld): Promise<void> {
  const client = new pg.Client({
    connectionString: await databaseUrlOf(web.product.environment.AIZUCHI_HOME ?? ''),
  });
  await client.connect();
  await client.query(
    'update pending_agent_purposes set not_before = now() + $2::interval where agent_id = $1',
    [agentId, pause],
  );
  await client.end();
}

test('why an agent does not start: no Coordinator, no free place, an image that is pulled, a delay after a failure', async () => {
  const world = await makeWorld('waits');
  const page = await web.signedIn({ path: world.path });
  await page.getByText('Coordinator が動いていないため').waitFor();
  await expectGoodLook(page, 'chat-no-coordinator-ja');
  const coordinator = new PlayedCoordinator(web);
  open.push(coordinator);
  await coordinator.beat(0);
  coordinator.stayAlive();
  expect(await coordinator.ask(world)).toMatchObject({ action: 'hold', reason: 'capacity' });
  await page.getByText('空きがないため順番を待っています（1 番目）').waitFor();
  await expectGoodLook(page, 'chat-capacity-ja');
  await coordinator.beat(1);
  const { run_id: runId } = await coordinator.ask(world);
  await page.locator('[data-step="picked_up"][aria-current="step"]').waitFor();
  await coordinator.beat(1, { [runId ?? '']: 40 });
  await page.getByRole('status').getByText('イメージを取得中 40 %').waitFor();
  await page.locator('[data-step="picked_up"][aria-current="step"]').waitFor();
  await expectGoodLook(page, 'chat-pulling-ja');
  await coordinator.beat(1);
  await expect.poll(() => page.getByText('イメージを取得中').count()).toBe(0);
  await coordinator.crashed(runId ?? '');
  await coolDownFor('1 hour', world);
  expect(await coordinator.ask(world)).toMatchObject({ action: 'hold', reason: 'cooling_down' });
  await page.getByText('少し間を置いてから').waitFor();
  await expectGoodLook(page, 'chat-cooling-down-ja');
  await expect.poll(() => new ChatPage(page).sendButton.textContent()).toBe('準備中...');
});

test('an agent that starts with a message: the open chat says so and does not look as if it started', async () => {
  const world = await makeWorld('per_work');
  const command = { file: 'agent', args: [], mode: 'per_work' };
  await web.owner.call(z.unknown(), 'PATCH', `/agents/${world.agentId}`, { provider: 'command', command });
  const page = await web.signedIn({ locale: 'en', path: world.path });
  const chat = new ChatPage(page);
  await page.getByText('This agent starts when a message is sent').waitFor();
  await expect
    .poll(() => page.getByTestId('chat-status').textContent())
    .toBe('Not running · starts with your message');
  await expect.poll(() => chat.sendButton.textContent()).toBe('Send');
  await expect.poll(() => page.getByTestId('chat-start-steps').count()).toBe(0);
  const japanese = await web.signedIn({ path: world.path });
  await japanese.getByText('メッセージが送られると起動し、応答すると終了します').waitFor();
  await expect.poll(() => new ChatPage(japanese).sendButton.textContent()).toBe('送信');
  await expectGoodLook(japanese, 'chat-per-work-ja');

  await chat.input.fill('Hello');
  await chat.sendButton.click();
  await page.getByText('No Coordinator is running').waitFor();
  const agent = await signIn(world);
  await agent.answer('Hello.');
  await chat.untilAnswers(1);
});

test('an agent that waits for another one in the folder of the project: the chat says for whom, until that is over', async () => {
  const world = await makeWorld('folder');
  const { project } = world;
  const writes = { provider: 'command', command: { file: 'agent', args: [] } };
  await web.owner.call(z.unknown(), 'PATCH', `/agents/${world.agentId}`, writes);
  const editor = { id: 'agt_folder_editor', name: 'Editor', type: 'ai', ...writes };
  await web.owner.call(z.unknown(), 'POST', '/agents', editor);
  await web.owner.call(z.unknown(), 'PUT', `/projects/${project.id}/agents/${editor.id}`);
  const coordinator = new PlayedCoordinator(web);
  open.push(coordinator);
  coordinator.stayAlive();
  const atWork = await startedBy(coordinator, { project, agentId: editor.id });
  const chatOfEditor = `/projects/${project.id}/agents/${editor.id}/chat`;
  await web.owner.call(z.unknown(), 'POST', `${chatOfEditor}/messages`, { content: 'Edit it.' });
  await atWork.fetch();

  const agent = await startedBy(coordinator, world);
  await world.post('Review it.');
  const mayFetch = agent.untilMessages();
  const page = await web.signedIn({ locale: 'en', path: world.path });
  const status = page.getByTestId('chat-status');
  await expect.poll(() => status.textContent()).toBe('Waits for Editor, which is working in this folder');
  await expectGoodLook(page, 'chat-folder-in-use-en');
  const japanese = await web.signedIn({ path: world.path });
  await japanese.getByTestId('chat-status').getByText('Editor がこのフォルダーで作業しているため').waitFor();

  await atWork.answer('Edited.');
  await mayFetch;
  await expect.poll(() => status.textContent()).toMatch(/^Ready/);
  await agent.answer('Reviewed.');
  await new ChatPage(page).untilAnswers(1);
});

test('a viewer can read, starts no agent, and has no composer', async () => {
  const world = await makeWorld('viewer');
  const person = { id: 'reader', passkey: 'passkey-of-a-reader' };
  const { id, passkey } = person;
  await web.owner.call(z.unknown(), 'POST', '/agents', {
    id,
    name: 'Mori',
    type: 'human',
    accessLevel: 'viewer',
  });
  await web.owner.call(z.unknown(), 'POST', `/agents/${id}/passkey`, { passkey });
  await web.owner.call(z.unknown(), 'PUT', `/projects/${world.project.id}/agents/${id}`);
  const agent = await signIn(world);
  await world.post('How far are you?');
  await agent.answer('Half way.');
  const page = await web.signedIn({ locale: 'en', as: person, path: world.path });
  const chat = new ChatPage(page);
  await chat.untilAnswers(1);
  await expect.poll(() => chat.texts()).toEqual(['How far are you?', 'Half way.']);
  await page.getByText('Viewers cannot write messages.').waitFor();

  // What one looks at is read: the badge is silent about it, also while the server does not know.
  await page.route('**/chat/mark-read', (route) => route.abort());
  const badges = await chat.recordBadges();
  const waits = page.waitForResponse(
    async (response) =>
      response.url().endsWith('/api/inbox') &&
      // The page ends a read that a newer one replaces.
      (await response.text().catch(() => '')).includes('"kind":"unread"'),
  );
  await world.post('And now?');
  await agent.answer('Done.');
  await chat.untilAnswers(2);
  await waits;
  await page.evaluate(
    'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))',
  );
  expect(await badges()).toEqual([]);
  const placeOfAvatar = () => page.getByTestId(`agent-avatar-${world.agentId}`).boundingBox();
  const place = await placeOfAvatar();
  await page.getByTestId('chat-close').click();
  await page.getByTestId('inbox-badge').waitFor();
  // Nothing beside the badge moves when it comes.
  expect(await placeOfAvatar()).toEqual(place);
  await page.unroute('**/chat/mark-read');
  await page.getByTestId(`agent-avatar-${world.agentId}`).click();
  await page.getByTestId('inbox-badge').waitFor({ state: 'detached' });
  await expect.poll(() => chat.input.count()).toBe(0);
  await page.getByTestId('chat-menu').click();
  await page.getByTestId('chat-enter-sends').waitFor();
  await expect.poll(() => page.getByTestId('chat-new-context').count()).toBe(0);
  await expect.poll(() => page.getByTestId('chat-end-now').count()).toBe(0);
  await expectGoodLook(page, 'chat-viewer-en');
  const starts = (await world.log()).filter(({ content }) => content === 'セッション開始');
  expect(starts).toEqual([]);
});

test('a composer comes when it is known who writes: nothing that is typed is lost', async () => {
  const world = await makeWorld('early');
  const page = await web.signedIn({ locale: 'en' });
  const { promise: isHeld, resolve: letThrough } = Promise.withResolvers<void>();
  await page.route('**/api/auth/me', async (route) => {
    await isHeld;
    await route.fallback();
  });
  await page.goto(world.path);
  await page.getByTestId('chat-log').and(page.locator('[aria-busy=false]')).waitFor();
  const { input } = new ChatPage(page);
  await expect.poll(() => input.count()).toBe(0);
  letThrough();
  await input.fill('one');
  await expect.poll(() => input.inputValue()).toBe('one');
});

test('Enter adds a line until the person sets it to send; the other tab uses the setting, too', async () => {
  const world = await makeWorld('enter');
  const page = await web.signedIn({ locale: 'en', path: world.path });
  const chat = new ChatPage(page);
  await chat.input.fill('one');
  await chat.input.press('Enter');
  await chat.input.pressSequentially('two');
  await expect.poll(() => chat.input.inputValue()).toBe('one\ntwo');
  await chat.input.press('Control+Enter');
  await expect.poll(() => world.contents()).toEqual(['one two']);
  await page.getByTestId('chat-menu').click();
  await page.getByTestId('chat-enter-sends').click();
  await page.getByRole('menu').waitFor({ state: 'detached' });
  await chat.input.fill('three');
  await chat.input.press('Shift+Enter');
  await chat.input.pressSequentially('four');
  await chat.input.press('Enter');
  await expect.poll(() => world.contents()).toEqual(['one two', 'three four']);
  const other = new ChatPage(await web.page({ sameAs: page, path: world.path }));
  await other.input.fill('five');
  await other.input.press('Enter');
  await expect.poll(() => world.contents()).toEqual(['one two', 'three four', 'five']);
});

test('a new context: the agent is told to exit, the history stays', async () => {
  const world = await makeWorld('context');
  const agent = await signIn(world);
  const page = await web.signedIn({ locale: 'en', path: world.path });
  const chat = new ChatPage(page);
  await chat.untilReady('Send');
  await chat.say('Remember the number 7.');
  await expect.poll(async () => (await agent.next()).action).toBe('get_pending_messages');
  await agent.answer('I do.');
  await chat.untilAnswers(1);
  await page.getByTestId('chat-menu').click();
  await page.getByTestId('chat-new-context').click();
  await page.getByText('It starts with a fresh context.').waitFor();
  expect(await agent.next()).toMatchObject({ action: 'exit', reason: 'new_context' });
  await expect.poll(() => chat.texts()).toEqual(['Remember the number 7.', 'I do.']);
});

test('messages that are read in one tab count as read in the other', async () => {
  const world = await makeWorld('unread');
  const agent = await signIn(world);
  await world.post('Are you done?');
  await agent.answer('Yes.');
  const page = await web.signedIn({ locale: 'en', path: `/projects/${world.project.id}` });
  const other = await web.page({ sameAs: page, path: `/projects/${world.project.id}` });
  const unreadIn = (tab: typeof page) =>
    tab.locator(`[data-testid="agent-avatar-${world.agentId}"][aria-label*="unread"]`);
  await unreadIn(page).waitFor();
  await unreadIn(other).waitFor();
  await page.getByTestId(`agent-avatar-${world.agentId}`).click();
  await new ChatPage(page).untilAnswers(1);
  await unreadIn(page).waitFor({ state: 'detached' });
  await unreadIn(other).waitFor({ state: 'detached' });
});

test('a page that the browser restores from its cache is the same viewer again', async () => {
  const world = await makeWorld('kept');
  await signIn(world);
  const page = await web.signedIn({ locale: 'en', path: world.path });
  await new ChatPage(page).untilReady('Send');
  const callTo = (name: string) =>
    page
      .waitForRequest((request) => request.method() === 'POST' && request.url().endsWith(`/chat/${name}`))
      .then((request) => request.postDataJSON());
  const [left] = await Promise.all([callTo('end'), page.evaluate(leaves('pagehide'))]);
  expect(left).toMatchObject({ viewerId: expect.any(String), cause: 'unload' });
  const [back] = await Promise.all([callTo('start'), page.evaluate(leaves('pageshow'))]);
  expect(back).toEqual({ viewerId: left.viewerId });
  await page.reload();
  const [afterReload] = await Promise.all([callTo('start'), page.reload()]);
  expect(afterReload).toEqual(back);
});

test('who adds an agent sees which programs the hosts have, and what to do about those that are missing', async () => {
  const [mac, lab] = ['mac-studio', 'nuc-lab'].map((name) => new PlayedCoordinator(web, name));
  if (!mac || !lab) throw new Error('no hosts');
  open.push(mac, lab);
  await Promise.all([mac.beat(0), lab.beat(0)]);
  // Beats until then: a host that is silent while a busy machine loads the page is none to look at.
  const areAsked = Promise.all(
    [mac, lab].map(async (host) => {
      await host.untilAskedToLook();
      host.stayAlive();
    }),
  );
  const page = await web.signedIn({ path: '/settings/agents' });
  await page.getByTestId('agent-new').click();
  await page.getByTestId('agent-provider-acp').check();
  const tile = (id: string) => page.locator(`[data-testid=agent-provider-${id}] ~ span [data-program]`);
  await tile('claude').and(page.locator('[data-program=looking]')).waitFor();
  await areAsked;
  await mac.reportPrograms([
    { id: 'claude', state: 'found', version: '2.1.340', isSignedIn: false, signIn: 'claude auth login' },
    { id: 'gemini', state: 'not_found' },
    { id: 'codex', state: 'not_found' },
  ]);
  await tile('claude').and(page.locator('[data-program=sign_in_missing]')).waitFor();
  const preset = (id: string, state: string) =>
    page.getByTestId(`agent-preset-${id}`).locator(`[data-program=${state}]`).waitFor();
  // The other host may have it.
  await preset('codex', 'looking');
  await lab.reportPrograms([
    { id: 'claude', state: 'too_old', version: '2.0.1', needs: '2.1.330' },
    { id: 'gemini', state: 'found', version: '0.61.0', isSignedIn: true, signIn: 'gemini' },
    { id: 'codex', state: 'not_found' },
  ]);
  await preset('codex', 'not_found');
  await preset('gemini', 'ready');
  await preset('claude', 'unknown');
  await page.getByTestId('agent-preset-codex').click();
  await expectGoodLook(page, 'add-agent-tiles-acp-ja-1440');
  await page.getByTestId('agent-provider-claude').check();
  await page.getByTestId('program-command').getByText('claude auth login').waitFor();
  await expectGoodLook(page, 'add-agent-tiles-ja-1440');
  const small = await web.signedIn({ locale: 'en', width: 360, height: 1_400, path: '/settings/agents' });
  await small.getByTestId('agent-new').click();
  await small.getByTestId('agent-provider-claude').check();
  await small.getByTestId('program-remedy').getByText('Run this once on mac-studio').waitFor();
  await expectGoodLook(small, 'add-agent-tiles-en-360');
});

/** Dispatches the event of the browser when it puts a page into its cache or restores it. */
function leaves(type: 'pagehide' | 'pageshow'): string {
  return `void window.dispatchEvent(new PageTransitionEvent('${type}', { persisted: true }))`;
}
