import { expect, test } from 'vitest';
import { Turnstile } from './turnstile.ts';

/** A caller at the turnstile; `leave` is the end of its connection. */
function come(turnstile: Turnstile, caller: string) {
  const visit = { isIn: false, leave: (): void => undefined, refused: undefined as unknown };
  const done = turnstile.enter(caller, (leave) => {
    visit.leave = leave;
  });
  done.then(
    () => {
      visit.isIn = true;
    },
    (error: unknown) => {
      visit.refused = error;
    },
  );
  return visit;
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('no caller has more than its share, and its next call is admitted when one ends', async () => {
  const turnstile = new Turnstile({ perCaller: 2, total: 10, waiting: 5 });
  const visits = ['a', 'a', 'a', 'b'].map((caller) => come(turnstile, caller));
  await settled();
  expect(visits.map(({ isIn }) => isIn)).toEqual([true, true, false, true]);
  visits[3]?.leave();
  await settled();
  expect(visits[2]?.isIn).toBe(false);
  visits[0]?.leave();
  await settled();
  expect(visits[2]?.isIn).toBe(true);
});

test('the total is limited; a caller that waits does not block others', async () => {
  const turnstile = new Turnstile({ perCaller: 2, total: 3, waiting: 5 });
  const visits = ['a', 'a', 'a', 'b', 'c'].map((caller) => come(turnstile, caller));
  await settled();
  expect(visits.map(({ isIn }) => isIn)).toEqual([true, true, false, true, false]);
  visits[3]?.leave();
  await settled();
  expect(visits.map(({ isIn }) => isIn)).toEqual([true, true, false, true, true]);
});

test('a caller that leaves while it waits leaves no place behind', async () => {
  const turnstile = new Turnstile({ perCaller: 1, total: 9, waiting: 5 });
  const [first, second, third] = ['a', 'a', 'a'].map((caller) => come(turnstile, caller));
  second?.leave();
  first?.leave();
  await settled();
  expect(third?.isIn).toBe(true);
  expect(second).toMatchObject({ isIn: false, refused: { code: 'unavailable' } });
  third?.leave();
  const fourth = come(turnstile, 'a');
  await settled();
  expect(fourth.isIn).toBe(true);
});

test('the length of the queue is limited', async () => {
  const turnstile = new Turnstile({ perCaller: 1, total: 9, waiting: 2 });
  const visits = ['a', 'a', 'a', 'a', 'b'].map((caller) => come(turnstile, caller));
  await settled();
  expect(visits[3]?.refused).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 1 });
  expect(visits.map(({ isIn }) => isIn)).toEqual([true, false, false, false, true]);
});
