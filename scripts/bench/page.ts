/**
 * First load (JavaScript over the wire, compressed), a board with 1,000 tasks, a chat with 10,000 messages: from the
 * navigation until a painted frame in which all tasks are counted and every column shows its cards, or in which the
 * newest message and the composer are visible. Measured by the clock of the page. Then the board is used: how far its
 * layout shifts by itself (CLS), and how long the browser takes from a key or click to the next frame (INP). Floor:
 * spawning `node -e 0`, to detect a busy machine.
 * `npm run bench -- page [--rounds 5]`
 */
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import pg from 'pg';
import { startThrowawayPostgres } from '../postgres/throwaway-postgres.ts';
import { openBenchPage } from './support/bench-page.ts';
import { percentiles, row } from './support/statistics.ts';
import { observeVitals, readVitals } from './support/vitals.ts';

/** Runs in the page. */
const BOARD_STANDS = `(() => {
  const columns = [...document.querySelectorAll('[data-testid^="column-"]')];
  const counts = columns.map((one) => Number(one.querySelector('h2 + span').textContent));
  const isFilled = columns.every((one, index) => counts[index] === 0 || one.querySelector('[data-task]'));
  return isFilled && counts.reduce((sum, count) => sum + count, 0) >= 1000;
})()`;
const CHAT_STANDS = `document.querySelector('[data-testid="chat-message-msg_bench000000000010000"]') !== null
  && document.querySelector('[data-testid="chat-input"]') !== null`;

const run = promisify(execFile);
const { values: options } = parseArgs({ options: { rounds: { type: 'string', default: '5' } } });
const postgres = await startThrowawayPostgres({ durable: true });
const bench = await openBenchPage({ DATABASE_URL: postgres.adminUrl });
try {
  await fill(postgres.adminUrl);
  const { page } = bench;
  const board: number[] = [];
  const chat: number[] = [];
  const floors: number[] = [];
  const shifts: number[] = [];
  const inputs: number[] = [];
  await page.addInitScript(observeVitals);
  const chatPath = '/projects/prj_welcome?agent=agt_welcome_guide';
  for (let round = -1; round < Number(options.rounds); round += 1) {
    const floorAt = performance.now();
    await run(process.execPath, ['-e', '0']);
    const floorMs = performance.now() - floorAt;
    const boardMs = await timed('/projects/prj_welcome', BOARD_STANDS);
    const vitals = await useBoard();
    const chatMs = await timed(chatPath, CHAT_STANDS);
    if (round < 0) continue;
    shifts.push(vitals.layoutShift);
    inputs.push(vitals.slowestInputMs);
    floors.push(floorMs);
    board.push(boardMs);
    chat.push(chatMs);
  }
  // Files that the page fetches later, when it is idle, do not count as part of the load.
  await page.addInitScript('window.requestIdleCallback = () => 0;');
  const kilobytes = async (path: string, selector: string) =>
    ((await scriptBytes(path, selector)) / 1_000).toFixed(0);
  console.log(
    `first load: ${await kilobytes('/projects', 'main')} kB of JavaScript over the wire (at most 250, aim 150); ` +
      `straight to a board ${await kilobytes('/projects/prj_welcome', '[data-testid^="task-card-"]')} kB, ` +
      `to a chat with its markdown ${await kilobytes(chatPath, '[data-testid="chat-input"]')} kB`,
  );
  console.log(row('floor: node -e 0', percentiles(floors)));
  console.log(row('board with 1,000 tasks usable', percentiles(board)));
  console.log(row('chat with 10,000 messages usable', percentiles(chat)));
  console.log(row('slowest key or click on that board', percentiles(inputs)));
  console.log(`layout shift of that board: at most ${Math.max(...shifts).toFixed(4)}`);
  console.log('target: board at most 700 ms, chat 1,000 ms, input 100 ms, layout shift 0.02');

  async function timed(path: string, stands: string): Promise<number> {
    await page.goto('about:blank');
    await page.goto(path, { waitUntil: 'commit' });
    return page.evaluate<number>(`(async () => {
      const painted = () => new Promise((resolve) => requestAnimationFrame(resolve));
      while (!(${stands})) {
        if (performance.now() > 30_000) throw new Error('This page does not come to stand.');
        await painted();
      }
      await painted();
      return performance.now();
    })()`);
  }

  /** Opens a task and closes it, goes through the cards, moves one, opens the filter and finds one by its title. */
  async function useBoard() {
    await page.locator('[data-testid="column-todo"] [data-task]').nth(2).click();
    await page.getByTestId('task-title').waitFor();
    await page.keyboard.press('Escape');
    await page.getByTestId('task-panel').waitFor({ state: 'detached' });
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight', 'Shift+ArrowDown', 'ArrowUp'])
      await page.keyboard.press(key);
    await page.getByTestId('task-filter-open').click();
    await page.getByTestId('filter-find').pressSequentially('number 77');
    await page.getByTestId('filter-clear').click();
    await page.waitForLoadState('networkidle');
    return readVitals(page);
  }

  /** The bytes of script that a browser without cache fetches for this address. */
  async function scriptBytes(path: string, selector: string): Promise<number> {
    const client = await page.context().newCDPSession(page);
    await client.send('Network.enable');
    await client.send('Network.setCacheDisabled', { cacheDisabled: true });
    const scripts = new Set<string>();
    let bytes = 0;
    client.on('Network.responseReceived', ({ requestId, type }) => {
      if (type === 'Script') scripts.add(requestId);
    });
    client.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      if (scripts.has(requestId)) bytes += encodedDataLength;
    });
    await page.goto('about:blank');
    await page.goto(path);
    await page.locator(selector).first().waitFor();
    // The network is never idle beside a chat: it holds the stream of memory.
    for (let before = -1; before < bytes; await sleep(1_000)) before = bytes;
    await client.detach();
    return bytes;
  }
} finally {
  await bench.close();
  await postgres.stop();
}

/** Writes directly into the tables, with the transcript offsets that the product would have assigned. */
async function fill(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`insert into tasks (id, project_id, title, status, priority)
    select 'tsk_bench_' || n, 'prj_welcome', 'Task number ' || n,
      (array['backlog', 'todo', 'in_progress', 'blocked', 'done'])[1 + n % 5], 'medium' from generate_series(1, 1000) n`);
  await client.query(`insert into chat_messages
      (id, thread_id, seq, project_id, agent_id, sender, sender_id, human_id, content, created_at, state, log_offset)
    select 'msg_bench' || lpad(n::text, 15, '0'), 'prj_welcome/agt_welcome_guide', n, 'prj_welcome', 'agt_welcome_guide',
      case when n % 2 = 1 then 'user' else 'agent' end, case when n % 2 = 1 then 'user' else 'agt_welcome_guide' end,
      case when n % 2 = 1 then 'owner' end, 'Message number ' || n || repeat(' and some more words', n % 7),
      now() - interval '1 minute' * (10000 - n), case when n % 2 = 1 then 'answered' else 'stored' end, 0
    from generate_series(1, 10000) n`);
  await client.query(
    `update chat_threads set last_seq = 10000, news_count = 5000 where id = 'prj_welcome/agt_welcome_guide'`,
  );
  await client.end();
}
