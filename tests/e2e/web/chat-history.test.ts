import pg from 'pg';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  startThrowawayPostgres,
  type ThrowawayPostgres,
} from '../../../scripts/postgres/throwaway-postgres.ts';
import { ChatPage } from './support/chat-world.ts';
import { useOwnWeb } from './support/web.ts';

const COUNT = 10_000;
const AGENT = 'agt_welcome_guide';
const PATH = `/projects/prj_welcome?agent=${AGENT}`;
const idOf = (number: number) => `msg_old${String(number).padStart(17, '0')}`;
const env: Record<string, string> = {};
let postgres: ThrowawayPostgres;

beforeAll(async () => {
  postgres = await startThrowawayPostgres();
  env.DATABASE_URL = postgres.adminUrl;
});
// Runs after the end of the product: hooks of this kind run in reverse order.
afterAll(() => postgres.stop());
const web = useOwnWeb(env);

beforeAll(async () => {
  const client = new pg.Client({ connectionString: postgres.adminUrl });
  await client.connect();
  await client.query(
    `insert into chat_messages
      (id, thread_id, seq, project_id, agent_id, sender, sender_id, human_id, content, created_at, state, log_offset)
    select 'msg_old' || lpad(n::text, 17, '0'), 'prj_welcome/' || $1, n, 'prj_welcome', $1,
      case when n % 2 = 1 then 'user' else 'agent' end, case when n % 2 = 1 then 'user' else $1 end,
      case when n % 2 = 1 then 'owner' end, 'Message number ' || n || repeat(' and some more words', n % 9),
      now() - interval '1 minute' * ($2::int - n), 'answered', 0
    from generate_series(1, $2::int) n`,
    [AGENT, COUNT],
  );
  await client.query(
    `update chat_threads set last_seq = $2::bigint, news_count = $2::bigint / 2 where id = 'prj_welcome/' || $1`,
    [AGENT, COUNT],
  );
  await client.end();
});

const message = (page: Page, number: number) => page.getByTestId(`chat-message-${idOf(number)}`);

describe(`a chat with ${COUNT} messages`, () => {
  test('opens at the newest message, scrolls up without a jump, has few elements', async () => {
    const page = await web.signedIn({ locale: 'en', path: PATH });
    const chat = new ChatPage(page);
    await message(page, COUNT).waitFor();
    await expect.poll(() => chat.isAtEnd()).toBe(true);
    const log = page.getByTestId('chat-log');
    const box = await log.boundingBox();
    await page.mouse.move((box?.x ?? 0) + 100, (box?.y ?? 0) + 200);
    let topmost = COUNT;
    for (let step = 0; step < 20; step += 1) {
      const before = await firstVisible(page);
      // At the top of the loaded messages one turn of the wheel may move nothing, so it is repeated, as a person
      // would do.
      await expect
        .poll(async () => {
          await page.mouse.wheel(0, -1_200);
          topmost = (await firstVisible(page)).number;
          return topmost;
        })
        .toBeLessThan(before.number);
    }
    expect(topmost).toBeLessThan(COUNT - 150);
    await expect.poll(() => chat.messages.count()).toBeLessThan(60);
    // The visible messages do not move while new messages arrive below.
    await untilAtRest(page);
    const still = await firstVisible(page);
    await web.owner.call(anything, 'POST', `/projects/prj_welcome/agents/${AGENT}/chat/messages`, {
      content: 'hello',
    });
    await expect.poll(() => page.getByTestId('chat-new-messages').textContent()).toMatch(/\d new/);
    await expect.poll(() => firstVisible(page)).toEqual(still);
    await page.getByTestId('chat-new-messages').click();
    await expect.poll(() => chat.isAtEnd()).toBe(true);
  });

  test('keeps the first message in its place when a page arrives at the top of the list', async () => {
    const page = await web.signedIn({ locale: 'en' });
    let letThrough: () => void = () => undefined;
    const isHeld = new Promise<void>((resolve) => {
      letThrough = resolve;
    });
    await page.route(/chat\/messages\?.*before=/, async (route) => {
      await isHeld;
      await route.fallback();
    });
    await page.goto(PATH);
    await message(page, COUNT).waitFor();
    const log = page.getByTestId('chat-log');
    // Rows that are measured on the way move the list, so it may take more than one scroll.
    await expect
      .poll(async () => {
        const number = (await firstVisible(page)).number;
        const top = await log.evaluate((element) => {
          const before = element.scrollTop;
          element.scrollTo({ top: 0 });
          return before;
        });
        return { top, isFirst: number < COUNT - 40 };
      })
      .toEqual({ top: 0, isFirst: true });
    const before = await firstVisible(page);
    letThrough();
    await expect.poll(() => log.evaluate((element) => element.scrollTop)).toBeGreaterThan(1_000);
    await expect.poll(() => firstVisible(page)).toEqual(before);
  });

  test('loads pages until a high window is full, also after a failed request', async () => {
    const page = await web.signedIn({ locale: 'en', width: 1_000, height: 20_000 });
    let requests = 0;
    await page.route(/chat\/messages\?.*before=/, (route) => {
      requests += 1;
      return requests === 1 ? route.abort() : route.fallback();
    });
    await page.goto(PATH);
    await message(page, COUNT).waitFor();
    const log = page.getByTestId('chat-log');
    await expect
      .poll(() => log.evaluate((element) => element.scrollHeight - element.clientHeight))
      .toBeGreaterThan(0);
    expect(requests).toBeGreaterThan(2);
  });

  test('a link opens a message far up', async () => {
    const page = await web.signedIn({ locale: 'en', path: `${PATH}&message=${idOf(1_234)}` });
    await message(page, 1_234).waitFor();
    await expect.poll(() => isOnScreen(page, 1_234)).toBe(true);
  });

  test('a link to an unknown message shows an error', async () => {
    const page = await web.signedIn({ locale: 'en', path: `${PATH}&message=msg_nowhere` });
    await page.getByText('The linked message is not here').waitFor();
  });
});

const anything = z.unknown();

/** The first message that is completely visible in the list, and its position. */
async function firstVisible(page: Page): Promise<{ number: number; top: number }> {
  return page.getByTestId('chat-log').evaluate((log) => {
    const edge = log.getBoundingClientRect().top;
    const found = [...log.querySelectorAll('[data-testid^="chat-message-msg_old"]')]
      .map((element) => ({
        number: Number(element.getAttribute('data-testid')?.slice(-17)),
        top: Math.round(element.getBoundingClientRect().top - edge),
      }))
      .filter(({ top }) => top >= 0)
      .sort((a, b) => a.top - b.top);
    return found[0] ?? { number: 0, top: 0 };
  });
}

/**
 * Waits until the list has not moved for thirty frames: the browser reports a turn of the wheel as handled before it has
 * scrolled.
 */
async function untilAtRest(page: Page): Promise<void> {
  await page.getByTestId('chat-log').evaluate(
    (log) =>
      new Promise<void>((resolve) => {
        let [last, frames] = [-1, 0];
        const look = () => {
          const distance = log.scrollHeight - log.scrollTop;
          frames = distance === last ? frames + 1 : 0;
          last = distance;
          if (frames >= 30) resolve();
          else log.ownerDocument.defaultView?.requestAnimationFrame(look);
        };
        look();
      }),
  );
}

async function isOnScreen(page: Page, number: number): Promise<boolean> {
  const [element, log] = await Promise.all([
    message(page, number).boundingBox(),
    page.getByTestId('chat-log').boundingBox(),
  ]);
  return (
    element !== null && log !== null && element.y >= log.y && element.y + element.height <= log.y + log.height
  );
}
