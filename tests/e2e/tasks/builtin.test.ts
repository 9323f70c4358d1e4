import { afterAll, beforeAll, expect, test } from 'vitest';
import { KillWorld } from '../kill/kill-support.ts';
import { until } from '../start/product-process.ts';
import { Board } from './task-world.ts';

/* The agent that works out of the box, with the whole product as processes. */

let world: KillWorld;
let board: Board;
beforeAll(async () => {
  world = await KillWorld.start();
  board = new Board((method, path, body) => world.call(method, path, body));
});
afterAll(async () => {
  expect(await world.product.stop()).toBe(true);
});

test('two tasks of which one waits for the other: ticked off, then the board is summarised', async () => {
  const agent = await world.makeAgent('ticks');
  const first = await board.add(agent, { title: 'Open up', description: '- [ ] open\n- [x] ask\n- [ ] air' });
  const second = await board.add(agent, { title: 'Summarise the board', dependsOn: [first] });
  await board.move(first, 'in_progress');
  await board.untilStatus(second, 'done');
  expect(await board.comments(first)).toEqual([
    '✓ 1/2 open',
    '✓ 2/2 air',
    'All 2 items of the checklist are done.\n- [x] open\n- [x] air',
  ]);
  const [summary] = await board.comments(second);
  expect(summary).toContain('There are 2 tasks on the board.');
  expect(summary).toContain('Done: 1');
});

test('what it cannot do is blocked, with the reason', async () => {
  const agent = await world.makeAgent('cannot');
  const task = await board.add(agent, { title: 'Repair the login' });
  await board.move(task, 'in_progress');
  await board.untilStatus(task, 'blocked');
  expect(await board.comments(task)).toEqual([expect.stringContaining('The built-in agent can only')]);
  expect(await board.attempts(task)).toMatchObject([{ n: 1, outcome: 'blocked' }]);
});

test('blocked in the middle it stops; in progress again it goes on where it stood', async () => {
  const agent = await world.makeAgent('stopped');
  const items = Array.from({ length: 40 }, (_, index) => `item ${index + 1}`);
  const description = items.map((item) => `- [ ] ${item}`).join('\n');
  const task = await board.add(agent, { title: 'Long', description });
  await board.move(task, 'in_progress');
  await until(async () => (await board.comments(task)).length >= 2);
  await board.move(task, 'blocked');
  await board.untilAllExited(agent);
  const before = await board.comments(task);
  expect(before.length).toBeLessThan(items.length);
  expect(await board.attempts(task)).toMatchObject([{ n: 1, outcome: 'blocked' }]);

  await board.move(task, 'in_progress');
  await until(async () => (await board.comments(task)).length > before.length);
  const all = await board.comments(task);
  expect(all.slice(0, before.length)).toEqual(before);
  expect(all[before.length]).toBe(`✓ ${before.length + 1}/40 item ${before.length + 1}`);
  await board.move(task, 'cancelled');
  await board.untilAllExited(agent);
});
