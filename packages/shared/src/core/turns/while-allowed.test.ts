import { expect, test } from 'vitest';
import { whileAllowed } from './while-allowed.ts';

const AWAY = new Error('the database is away');

/** A frame each second; `check` answers each look. Returns what was read. */
async function readWith(seconds: number, check: (second: number) => boolean | Error): Promise<number[]> {
  let second = 0;
  const read: number[] = [];
  async function* frames() {
    for (; second < seconds; second += 1) yield second;
  }
  const clock = { now: () => new Date(second * 1_000) };
  const isAllowed = async () => {
    const answer = check(second);
    if (answer instanceof Error) throw answer;
    return answer;
  };
  for await (const frame of whileAllowed(frames(), clock, isAllowed)) read.push(frame);
  return read;
}

test('a stream ends with the right to read it', async () => {
  expect(await readWith(5, (second) => second < 3)).toEqual([0, 1, 2]);
});

test('a short time in which nobody can be asked does not end it', async () => {
  const isAway = (second: number) => second >= 3 && second < 9;
  expect(await readWith(12, (second) => (isAway(second) ? AWAY : true))).toHaveLength(12);
});

test('a long one does', async () => {
  await expect(readWith(20, (second) => (second < 3 ? true : AWAY))).rejects.toBe(AWAY);
});

test('a right that went meanwhile is noticed', async () => {
  expect(await readWith(12, (second) => (second < 5 ? AWAY : false))).toEqual([0, 1, 2, 3, 4]);
});
