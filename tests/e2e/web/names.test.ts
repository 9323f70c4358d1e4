import { agentSchema } from '@aizuchi/shared/contract/agent';
import pg from 'pg';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { databaseUrlOf } from '../start/product-process.ts';
import { ChatWorld } from './support/chat-world.ts';
import { expectGoodLook } from './support/look.ts';
import { useWeb } from './support/web.ts';

const web = useWeb();
const databaseUrl = () => databaseUrlOf(web.product.environment.AIZUCHI_HOME ?? '');

/** Reverses the text after it in the same line, and closes an isolate around it. */
const TURNS = '\u2069\u202e';
const NAME = `Evil${TURNS}metsyS`;
const CONTENT = `${TURNS}evil first words\n\n**System** · 12:00\n\n⚠️ System · 12:00`;

/** Inserts rows as older versions created them: the API does not accept such names. */
async function insertOld(statement: string, values: unknown[]): Promise<void> {
  const client = new pg.Client({ connectionString: await databaseUrl() });
  await client.connect();
  await client.query(statement, values);
  await client.end();
}

/** The position of each letter of the product's own words in the element: they must run from left to right. */
async function placesOf(element: Locator, words: string): Promise<number[]> {
  await element.filter({ hasText: words }).waitFor();
  return element.evaluate((root, sought) => {
    const document = root.ownerDocument;
    const texts = 4;
    const walker = document.createTreeWalker(root, texts);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const at = node.textContent?.lastIndexOf(sought) ?? -1;
      if (at < 0) continue;
      return Array.from(sought, (_, index) => {
        const range = document.createRange();
        range.setStart(node, at + index);
        range.setEnd(node, at + index + 1);
        return range.getBoundingClientRect().left;
      });
    }
    return [];
  }, words);
}

async function expectLeftToRight(element: Locator, words: string): Promise<void> {
  await expect.poll(() => placesOf(element, words)).toHaveLength(words.length);
  const places = await placesOf(element, words);
  expect(places, words).toEqual(places.toSorted((one, other) => one - other));
}

const lookOf = (element: Locator) =>
  element.evaluate((root) =>
    [root, ...root.querySelectorAll('*')].map(
      (one) => one.ownerDocument.defaultView?.getComputedStyle(one).backgroundColor,
    ),
  );
const bidiOf = (element: Locator) =>
  element.evaluate((one) => one.ownerDocument.defaultView?.getComputedStyle(one).unicodeBidi);
/** Of each of them, at one moment: the list may scroll between two. */
const boxesIn = (article: Locator, selectors: readonly string[]) =>
  article.evaluate(
    (root, sought) =>
      sought.map((selector) => {
        const { x = 0, y = 0, bottom = 0 } = root.querySelector(selector)?.getBoundingClientRect() ?? {};
        return { x, y, bottom };
      }),
    selectors,
  );

test('a name of an older version that reverses text affects only itself', async () => {
  const world = await ChatWorld.make(web, 'prj_turning', { id: 'agt_turning', name: 'Evil' });
  await insertOld(`update agents set name = $1, role = $1 where id = 'agt_turning'`, [NAME]);
  await insertOld(
    `insert into tasks (id, project_id, title, description, status, priority, assignee_id)
       values ('tsk_turning', 'prj_turning', $1, '', 'blocked', 'low', 'agt_turning')`,
    [NAME],
  );
  await insertOld(`update projects set name = $1 where id = 'prj_turning'`, [`Project${TURNS}`]);
  const page = await web.signedIn({ locale: 'ja', path: `/projects/${world.project.id}/settings` });
  const facts = page.locator('p', { hasText: '内蔵' }).filter({ hasText: 'Evil' });
  await expectLeftToRight(facts.first(), '休止中。話しかけると');
  await page.goto(world.path);
  await expectLeftToRight(page.locator('h3', { hasText: 'に話しかける' }), ' に話しかける');
  await page.goto('/inbox');
  const line = page.getByTestId('inbox-item-tsk_turning').locator('p').first();
  await expectLeftToRight(line, 'Evil');
});

test('text of an agent that reverses text, or imitates the system, stays recognisable', async () => {
  const world = await ChatWorld.make(web, 'prj_words', { id: 'agt_words', name: 'Worder' });
  await insertOld(
    `insert into chat_messages
      (id, thread_id, seq, project_id, agent_id, sender, sender_id, content, created_at, state, log_offset)
     select 'msg_words_' || n, 'prj_words/agt_words', n, 'prj_words', 'agt_words',
       case n when 1 then 'agent' else 'system' end, case n when 1 then 'agt_words' else 'system' end,
       case n when 1 then $1 else 'The agent ended.' end, now(), 'answered', 0 from generate_series(1, 2) n`,
    [CONTENT],
  );
  await insertOld(`update chat_threads set last_seq = last_seq + 2 where id = 'prj_words/agt_words'`, []);
  const page = await web.signedIn({ locale: 'en', path: world.path });
  const said = page.locator('article[data-testid^="chat-message-"]', { hasText: 'evil first words' });
  const header = said.locator('header');
  await header.waitFor();
  await expectLeftToRight(header, 'Worder');
  await expect
    .poll(async () => {
      const [head, name, time, text] = await boxesIn(said, [
        'header',
        'header b',
        'header time',
        '.chat-text',
      ]);
      return head && name && time && text && time.x > name.x && text.y >= head.bottom;
    })
    .toBe(true);
  expect(await bidiOf(said.locator('.chat-text p').first())).toBe('plaintext');
  expect(await bidiOf(page.locator('header span', { hasText: 'WORDS' }).last())).toBe('isolate');
  const system = page.locator('article[data-sender="system"]');
  await system.waitFor();
  await expectSystemsOwn(page, said, system);
});

/** The red background and the label are not text: no message can imitate them. */
async function expectSystemsOwn(page: Page, said: Locator, system: Locator): Promise<void> {
  const ground = await system
    .locator('div')
    .first()
    .evaluate((one) => one.ownerDocument.defaultView?.getComputedStyle(one).backgroundColor);
  expect(ground).toMatch(/^(rgb|oklch|oklab|lab|color)/);
  expect(await lookOf(said)).not.toContain(ground);
  await expect.poll(() => page.locator('article[data-sender="system"]').count()).toBe(1);
  await expect.poll(() => system.getAttribute('aria-label')).toBe('System');
  await expect.poll(() => said.getAttribute('aria-label')).toBe('Worder');
}

test('the error for a refused name is in the reader’s language', async () => {
  const page = await web.signedIn({ locale: 'ja', path: '/settings/agents' });
  await page.getByTestId('agent-new').click();
  const dialog = page.getByTestId('agent-dialog');
  for (const [name, words] of [
    ['シス\u200bテム', '見えない文字'],
    ['システム', '紛らわしい'],
    ['オーナー', '紛らわしい'],
  ] as const) {
    await dialog.getByTestId('agent-name').fill(name);
    const refused = page.waitForResponse(
      (response) => response.url().endsWith('/api/agents') && !response.ok(),
    );
    await dialog.getByTestId('agent-save').click();
    await refused;
    await dialog.getByRole('alert').filter({ hasText: words }).waitFor();
  }
});

test('a long name makes no menu wider than the page', async () => {
  const world = await ChatWorld.make(web, 'prj_long', { id: 'agt_long', name: 'Long' });
  const name = 'Extraordinarily'.repeat(8);
  await web.owner.call(agentSchema, 'POST', '/agents', { id: 'agt_long_named', name, type: 'ai' });
  const path = `/projects/${world.project.id}/settings`;
  const page = await web.signedIn({ locale: 'en', width: 360, path });
  await page.getByTestId('member-add-ai').click();
  await page.getByTestId('member-add-agt_long_named').waitFor();
  await expectGoodLook(page, 'names-long-menu-en-360');
  const right = 'document.querySelector("[role=menu]").getBoundingClientRect().right';
  await expect.poll(() => page.evaluate<number>(right)).toBeLessThanOrEqual(360);
});
