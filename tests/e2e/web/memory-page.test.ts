import { readFile } from 'node:fs/promises';
import {
  type MemorySearch,
  memorySearchSchema,
  memoryStatePageSchema,
  memoryStateSchema,
} from '@aizuchi/shared/contract/memory';
import { storeEvents, storeState } from '@aizuchi/shared/core/memory/memory-store';
import { type Database, openDatabase } from '@aizuchi/shared/platform/db/database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { databaseUrlOf } from '../start/product-process.ts';
import { ChatWorld } from './support/chat-world.ts';
import { expectGoodLook, LOOKS } from './support/look.ts';
import { useWeb } from './support/web.ts';

const web = useWeb();
const PROJECT = 'prj_mempage';
const AGENT = 'agt_mempage';
const PAGE = `/memory/${AGENT}`;

const DAY_MS = 24 * 60 * 60_000;
const SAID = [
  [
    '高橋',
    '端数の丸め方は 11/1 以降の書類から銀行丸めにする。',
    'それより前の書類は四捨五入のままにします。',
  ],
  ['高橋', '月末の締め日は会社の所在地の時刻で決める、と決まった。', 'わかりました。'],
  ['Reviewer', '締め日が 1 日ずれるのは UTC 変換のせいだと思う。', '確認します。'],
  ['高橋', 'コミットは修正 1 件ごとに分けてください。', 'そうします。'],
] as const;

/** Of each of them: what was felt, how pleasant it was, and its threads. */
const GROWN = [
  ['手ごたえがある', 0.6, '端数', '締め日'],
  ['ほっとした', 0.3, '締め日'],
  ['あせっている', -0.7, '締め日', '障害'],
  ['落ち着いている', 0.1, 'コミット'],
] as const;

let database: Database;
let world: ChatWorld;
/** The newest first. */
let events: readonly string[];
beforeAll(async () => {
  world = await ChatWorld.make(web, PROJECT, { id: AGENT, name: 'Analysis Worker' }, '家計簿 API');
  database = openDatabase({
    url: await databaseUrlOf(web.product.environment.AIZUCHI_HOME ?? ''),
    maxConnections: 1,
  });
  const now = Date.now();
  const { stored } = await database.transaction((tx) =>
    storeEvents(
      tx,
      AGENT,
      SAID.map(([actor, userText, assistantText], index) => ({
        projectId: PROJECT,
        clientId: `pm:${PROJECT}:${AGENT}:owner`,
        threadId: 'closing',
        source: 'chat',
        actor,
        userText,
        assistantText,
        assistantState: 'complete',
        createdAt: new Date(now - index * DAY_MS),
      })),
    ),
  );
  events = stored;
  await grow();
});
afterAll(() => database.close());

/** Growth is off: what a test looks at is written by it. */
async function grow(): Promise<void> {
  for (const [index, [feeling, pleasure, ...threads]] of GROWN.entries()) {
    await database.pool.query(
      `insert into memory_event_affects (id, event_id, agent_id, project_id, created_at, body_text, labels, v, a, d,
         confidence, made_by)
       select 'aff_' || id, id, agent_id, project_id, created_at, $2, '{}', $3, 0, 0, 1, 'rules'
       from memory_events where id = $1`,
      [events[index], feeling, pleasure],
    );
    await database.pool.query(
      `insert into memory_event_threads (event_id, thread_key, agent_id, project_id, created_at, confidence, made_by)
       select id, unnest($2::text[]), agent_id, project_id, created_at, 1, 'rules' from memory_events where id = $1`,
      [events[index], threads],
    );
  }
}

/** A search that is late is made again. */
async function untilFound(query: string, id: string): Promise<MemorySearch> {
  const found = await web.owner.call(memorySearchSchema, 'POST', `/memory/${AGENT}/search`, {
    query,
    projectId: PROJECT,
  });
  return found.items.some((item) => item.id === id) ? found : untilFound(query, id);
}

/** As after five failures: it waits for a person. */
async function park(eventId: string | undefined): Promise<void> {
  await database.pool.query(
    `update memory_growth set state = 'parked', attempts = 5, error_step = 'plan', error_code = 'llm_unavailable',
       error_text = 'The model does not answer.', error_at = clock_timestamp() where event_id = $1`,
    [eventId],
  );
}

/** A fact that this test may change. */
function learnt(
  bodyText: string,
  more: { validTo?: Date; evidence?: readonly string[] } = {},
): Promise<string> {
  return database.transaction((tx) =>
    storeState(tx, AGENT, {
      projectId: PROJECT,
      kind: 'fact',
      bodyText,
      confidence: 0.9,
      at: new Date(),
      evidence: events.slice(0, 2),
      reason: 'told',
      madeBy: 'rules',
      ...more,
    }),
  );
}

test.each(LOOKS)('events, states and their history: $locale, $width px', async ({ locale, width }) => {
  const original = `端数の丸め方は 11/1 以降の書類から銀行丸めにする (${locale})。`;
  const id = await learnt(original);
  await learnt('テストは夜にまとめて実行する。', { validTo: new Date(Date.now() - DAY_MS) });
  const page = await web.signedIn({
    locale,
    width,
    height: width === 360 ? 1_600 : 960,
    path: `/agents/${AGENT}`,
  });
  await park(events[3]);
  await page.getByTestId('agent-memory').click();
  await page.getByTestId('memory-mood').getByRole('img').waitFor();
  await page.getByTestId('memory-jobs-open').click();
  const parked = page.locator(`[data-testid=memory-job-${events[3]}][data-state=parked]`);
  await parked.waitFor();
  await expectGoodLook(page, `memory-jobs-${locale}-${width}`);
  await parked.getByRole('button').click();
  await page.locator(`[data-testid=memory-job-${events[3]}][data-state=pending]`).waitFor();
  await page.getByTestId('memory-jobs-open').click();
  await page.getByTestId(`memory-event-${events[0]}`).getByRole('button').click();
  await page.getByTestId('memory-event-delete').waitFor();
  if (width === 360) {
    await expectGoodLook(page, `memory-events-${locale}-${width}`);
    await page.getByTestId('memory-view-states').click();
  }
  const state = page.getByTestId(`memory-state-${id}`);
  await state.getByTestId('memory-state-edit').click();
  const edited = `端数の丸め方はすべて四捨五入にする (${locale})。`;
  await state.getByTestId('memory-state-text').fill(edited);
  await expectGoodLook(page, `memory-edit-${locale}-${width}`);
  await state.getByTestId('memory-state-save').click();
  await state.getByText(edited).waitFor();
  await state.getByTestId('memory-state-history').click();
  const history = state.getByTestId('memory-revisions').getByRole('listitem');
  await expect.poll(() => history.count()).toBe(2);
  expect(await history.first().textContent()).toContain('四捨五入');
  expect(await history.first().textContent()).toContain('銀行丸め');
  expect(await page.locator('[data-validity=over]').count()).toBeGreaterThan(0);
  await expectGoodLook(page, `memory-page-${locale}-${width}`);
  await history.first().getByTestId('memory-revision-restore').click();
  await expect.poll(() => history.count()).toBe(3);
  await state.getByText(original, { exact: true }).first().waitFor();
  await page.getByTestId('memory-view-threads').click();
  await page.getByTestId('memory-threads').getByText('障害').waitFor();
  await expectGoodLook(page, `memory-threads-${locale}-${width}`);
});

test.each(LOOKS)('the search shows what found each hit: $locale, $width px', async ({ locale, width }) => {
  const page = await web.signedIn({ locale, width, path: `${PAGE}?project=${PROJECT}` });
  // What was not found in time is searched again by itself.
  const late = { runId: 'run_late', degraded: ['collector_late'], timings: {}, items: [] };
  await page.route('**/api/memory/*/search', (route) => route.fulfill({ json: late }), { times: 1 });
  await page.getByTestId('memory-find').fill('UTC 変換 締め日');
  await page.getByTestId('memory-find-start').click();
  const hit = page.getByTestId(`memory-hit-${events[2]}`);
  await hit.waitFor();
  // While a part is late it is searched again, and a hit that the next answer lacks comes back closed.
  await page
    .getByText(/間に合わなかった経路があります|some searches were late/)
    .waitFor({ state: 'detached' });
  await hit.getByRole('button').first().click();
  await hit.getByText('確認します。', { exact: true }).waitFor();
  await expectGoodLook(page, `memory-search-${locale}-${width}`);
  await page.getByTestId('memory-find').press('Escape');
  await hit.waitFor({ state: 'detached' });
});

test('what is forgotten is gone, with the states that were made from it alone', async () => {
  const [id = ''] = (
    await database.transaction((tx) =>
      storeEvents(tx, AGENT, [
        {
          projectId: PROJECT,
          clientId: 'meeting',
          threadId: 'meeting',
          source: 'import',
          userText: '請求書は紙で送る。',
          assistantState: 'complete',
          createdAt: new Date(),
        },
      ]),
    )
  ).stored;
  const alone = await learnt('請求書は紙で送ることになっている。', { evidence: [id] });
  const other = await learnt('領収書は PDF で送る。');
  const page = await web.signedIn({ locale: 'ja', path: `${PAGE}?project=${PROJECT}` });
  const event = page.getByTestId(`memory-event-${id}`);
  await event.getByRole('button').click();
  await event.getByTestId('memory-event-delete').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('請求書は紙で送ることになっている。').waitFor();
  await expectGoodLook(page, 'memory-forget-event-ja');
  await dialog.getByRole('button').last().click();
  await event.waitFor({ state: 'detached' });
  await page.getByTestId(`memory-state-${alone}`).waitFor({ state: 'detached' });
  const card = page.getByTestId(`memory-state-${other}`);
  await card.getByTestId('memory-state-delete').click();
  await expectGoodLook(page, 'memory-forget-state-ja');
  await dialog.getByRole('button').last().click();
  await card.waitFor({ state: 'detached' });
});

test('while the memory service is away the page says so, and shows the rest', async () => {
  const page = await web.signedIn({ locale: 'en', path: `${PAGE}?project=${PROJECT}` });
  await page.route('**/api/memory/*/search', (route) =>
    route.fulfill({ status: 503, json: { error: { code: 'unavailable', message: 'away' } } }),
  );
  await page.getByTestId('memory-find').fill('closing day');
  await page.getByTestId('memory-find').press('Enter');
  await page.getByTestId('memory-away').waitFor();
  await page.getByTestId(`memory-event-${events[0]}`).waitFor();
  await expectGoodLook(page, 'memory-away-en');
});

test.each(LOOKS)('a memory is corrected from the chat: $locale, $width px', async ({ locale, width }) => {
  const id = await learnt(`締め日の担当は田中さん (${locale})`);
  const { runId } = await untilFound(`締め日の担当は田中さん (${locale})`, id);
  const before = (await world.contents()).length;
  await world.post(`担当は誰ですか (${locale})`);
  await expect.poll(async () => (await world.contents()).length, { timeout: 60_000 }).toBe(before + 2);
  // As if this answer had used what the search has found.
  await database.pool.query(
    `update chat_messages set retrieval_run_id = $1 where project_id = $2 and sender_id = $3`,
    [runId, PROJECT, AGENT],
  );
  const page = await web.signedIn({ locale, width, height: 1_200, path: world.path });
  await page.getByTestId('chat-why').last().click();
  const row = page.getByTestId('memory-used').getByRole('article').filter({ hasText: '田中さん' }).first();
  await row.getByTestId('memory-correct').click();
  // Esc leaves the field, not the chat.
  await row.getByTestId('memory-correct-text').press('Escape');
  await row.getByTestId('memory-correct').click();
  await row.getByTestId('memory-correct-text').fill(`締め日の担当は佐藤さん (${locale})`);
  await expectGoodLook(page, `memory-correct-${locale}-${width}`);
  await row.getByTestId('memory-correct-save').click();
  await row.getByTestId('memory-corrected').filter({ hasText: '佐藤さん' }).waitFor();
  await row.getByTestId('memory-corrected').getByRole('link').click();
  if (width === 360) await page.getByTestId('memory-view-states').click();
  const card = page.getByTestId(`memory-state-${id}`);
  await card.getByTestId('memory-state-history').click();
  await card.getByTestId('memory-revisions').getByText('田中').first().waitFor();
});

test('an editor that was opened before a correction of somebody else does not undo it', async () => {
  const id = await learnt('会議は月曜日。');
  const other = await learnt('会議室は 3 階。');
  const page = await web.signedIn({ locale: 'ja', path: `${PAGE}?project=${PROJECT}` });
  const card = page.getByTestId(`memory-state-${id}`);
  await card.getByTestId('memory-state-edit').click();
  await web.owner.call(memoryStateSchema, 'PATCH', `/memory/${AGENT}/states/${id}?projectId=${PROJECT}`, {
    bodyText: '会議は火曜日。',
  });
  // What is saved elsewhere on the page makes it read the states again.
  const second = page.getByTestId(`memory-state-${other}`);
  await second.getByTestId('memory-state-edit').click();
  await second.getByTestId('memory-state-text').fill('会議室は 4 階。');
  await second.getByTestId('memory-state-save').click();
  await card.getByText('会議は火曜日。', { exact: true }).waitFor();
  await card.locator('input[type=number]').fill('50');
  await card.getByTestId('memory-state-save').click();
  const path = `/memory/${AGENT}/states?projectId=${PROJECT}`;
  const saved = async () =>
    (await web.owner.call(memoryStatePageSchema, 'GET', path)).states.find((state) => state.id === id);
  await expect.poll(async () => (await saved())?.confidence).toBe(0.5);
  expect((await saved())?.bodyText).toBe('会議は火曜日。');
});

test('what it holds of a person is given out, and erased after a question', async () => {
  await web.owner.call(z.unknown(), 'POST', '/agents', {
    id: 'agt_hanako',
    type: 'human',
    name: '中村 花子',
  });
  await web.owner.importMemory(AGENT, PROJECT, [
    {
      createdAt: '2026-11-14T15:20:00Z',
      clientId: 'meeting',
      actor: '中村 花子',
      userText: '見積もりは税抜きで書く。',
    },
  ]);
  const page = await web.signedIn({ locale: 'ja', path: PAGE });
  await page.getByText('見積もりは税抜きで書く。').waitFor();
  await page.getByTestId('memory-person').click();
  await page.getByTestId('memory-person-choice').selectOption('agt_hanako');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByTestId('memory-person-export').click(),
  ]);
  const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\n');
  expect(lines.map((line) => z.object({ type: z.string() }).parse(JSON.parse(line)).type)).toEqual([
    'event',
    'end',
  ]);
  await page.getByTestId('memory-person-erase').click();
  await expectGoodLook(page, 'memory-erase-ja');
  await page.getByTestId('memory-person-erase').click();
  await page.getByTestId('memory-person-erased').waitFor();
  await page.getByText('見積もりは税抜きで書く。').waitFor({ state: 'detached' });
});
