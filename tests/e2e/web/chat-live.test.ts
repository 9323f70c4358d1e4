import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { databaseUrlOf } from '../start/product-process.ts';
import { ChatPage, ChatWorld } from './support/chat-world.ts';
import { ScriptedChat } from './support/scripted-world.ts';
import { useOwnWeb } from './support/web.ts';

const web = useOwnWeb();

describe('every message arrives once', () => {
  test('when it is written before the agent is ready', async () => {
    const { world, put, remove } = bind(await ScriptedChat.make(web, 'early', 'Docs Writer'));
    await put('sign-in-hold');
    const page = await web.signedIn({ path: world.path });
    const chat = new ChatPage(page);
    await page.getByTestId('chat-start-steps').waitFor();
    await chat.say('Which endpoints lack an example?');
    await page.locator('[data-testid^="message-state-"][data-state="stored"]').waitFor();
    await page.getByTestId('chat-waiting-indicator').waitFor();
    await expect.poll(() => chat.sendButton.textContent()).toBe('準備中...');
    await remove('sign-in-hold');
    await chat.untilAnswers(1);
    await chat.untilReady();
    await expect
      .poll(() => chat.texts())
      .toEqual(['Which endpoints lack an example?', 'echo: Which endpoints lack an example?']);
  });

  test.each(['rest-api', 'mcp-server', 'coordinator'])('while %s is killed', async (service) => {
    const name = service.replace('-', '_');
    const { world } = await ScriptedChat.make(web, `kill_${name}`, 'Backend Worker');
    const page = await web.signedIn({ path: world.path });
    const chat = new ChatPage(page);
    await chat.untilReady();
    await chat.say('one');
    await chat.untilAnswers(1);
    const killed = world.killService(service);
    await chat.say('two');
    await chat.say('three');
    await killed;
    const answered = page.locator('[data-testid^="message-state-"][data-state="answered"]');
    await expect.poll(() => answered.count()).toBe(3);
    await chat.say('four');
    await expect.poll(() => answered.count()).toBe(4);
    await expect.poll(async () => (await chat.texts()).at(-1)).toMatch(/^echo: .*four$/);
    await chat.untilShows(world);
    const texts = await chat.texts();
    expect(texts.filter((text) => !text.startsWith('echo: '))).toEqual(['one', 'two', 'three', 'four']);
    const ids = (await world.log()).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('while the socket is cut, and while there is none', async () => {
    const world = await ChatWorld.make(web, 'prj_cut', { id: 'agt_cut', name: 'Reviewer' });
    const page = await web.signedIn();
    const sockets: { close: () => void }[] = [];
    let isCut = false;
    await page.routeWebSocket('**/api/ws', (socket) => {
      if (isCut) {
        void socket.close({ code: 1011 });
        return;
      }
      const server = socket.connectToServer();
      sockets.push({ close: () => void Promise.all([socket.close({ code: 1011 }), server.close()]) });
    });
    await page.goto(world.path);
    const chat = new ChatPage(page);
    await chat.untilReady();
    await chat.say('一つ目');
    await chat.untilAnswers(1);
    isCut = true;
    for (const socket of sockets) socket.close();
    await page.getByText('サーバーとの接続が切れました').waitFor();
    await chat.say('二つ目');
    await chat.untilAnswers(2);
    await world.post('ほかのところから');
    await chat.untilAnswers(3);
    isCut = false;
    await page.getByText('サーバーとの接続が切れました').waitFor({ state: 'detached' });
    await chat.say('三つ目');
    await chat.untilAnswers(4);
    await chat.untilShows(world);
  });

  test('while the network is down: it waits and is then sent automatically', async () => {
    const world = await ChatWorld.make(web, 'prj_offline', { id: 'agt_offline', name: 'Reviewer' });
    const page = await web.signedIn({ path: world.path, width: 360 });
    const chat = new ChatPage(page);
    await chat.untilReady();
    await page.context().setOffline(true);
    await chat.say('残しておいて');
    await page.getByText('未送信 · 接続を待っています').waitFor();
    await page.context().setOffline(false);
    await chat.untilAnswers(1);
    await chat.untilShows(world);
  });
});

describe('tabs', () => {
  test('two tabs show the same messages, and each is a viewer', async () => {
    const world = await ChatWorld.make(web, 'prj_tabs', { id: 'agt_tabs', name: 'Analysis Worker' });
    const page = await web.signedIn({ path: world.path });
    const other = await web.page({ sameAs: page, path: world.path });
    const [first, second] = [new ChatPage(page), new ChatPage(other)];
    await first.untilReady();
    await second.untilReady();
    await first.say('最初のタブから');
    await second.untilAnswers(1);
    await second.say('次のタブから');
    await Promise.all([first.untilAnswers(2), second.untilAnswers(2)]);
    await first.untilShows(world);
    await second.untilShows(world);
    await other.getByTestId('chat-close').click();
    await other.getByTestId('chat-panel').waitFor({ state: 'detached' });
    await first.say('まだいますか');
    await first.untilAnswers(3);
    const starts = async () => (await world.log()).filter(({ content }) => content === 'セッション開始');
    await expect.poll(starts).toHaveLength(1);
  });

  test('a reload keeps the agent warm; closing the tab ends the session', async () => {
    const world = await ChatWorld.make(web, 'prj_reload', { id: 'agt_reload', name: 'Analysis Worker' });
    const page = await web.signedIn({ path: world.path });
    const chat = new ChatPage(page);
    await chat.untilReady();
    await chat.say('一つ目');
    await chat.untilAnswers(1);
    await chat.input.fill('書きかけ');
    await prolongLeaving();
    await page.reload();
    await chat.untilReady();
    await chat.untilAnswers(1);
    await expect.poll(() => chat.input.inputValue()).toBe('書きかけ');
    const starts = async () =>
      (await world.log()).filter(({ content }) => content === 'セッション開始').length;
    await expect.poll(starts).toBe(1);
    await page.getByTestId('chat-close').click();
    await page.locator(`[data-testid="agent-avatar-${world.agentId}"][data-state="none"]`).waitFor();
    await page.getByTestId(`agent-avatar-${world.agentId}`).click();
    await chat.untilReady();
    await expect.poll(starts).toBe(2);
  });
});

/** A page that is loaded again has ten seconds, which are too few on a busy machine. */
async function prolongLeaving(): Promise<void> {
  const home = web.product.environment.AIZUCHI_HOME ?? '';
  const client = new pg.Client({ connectionString: await databaseUrlOf(home) });
  await client.connect();
  try {
    await client.query(`create or replace function prolong_leaving() returns trigger language plpgsql as $$
        begin
          new.leaving_at := new.leaving_at + interval '5 minutes';
          new.lease_until := greatest(new.lease_until, new.leaving_at);
          return new;
        end $$;
      create or replace trigger prolong_leaving before update on session_viewers
        for each row when (old.leaving_at is null and new.leaving_at is not null) execute function prolong_leaving()`);
  } finally {
    await client.end();
  }
}

function bind(scripted: ScriptedChat) {
  return {
    world: scripted.world,
    put: (name: string, content?: string) => scripted.put(name, content),
    remove: (name: string) => scripted.remove(name),
  };
}
