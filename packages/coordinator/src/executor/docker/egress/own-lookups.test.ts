import { expect, onTestFinished, test, vi } from 'vitest';
import { OwnLookups } from './own-lookups.ts';

const FOUND = [{ address: '192.0.2.1', family: 4 }];

function lookups() {
  const asked: string[] = [];
  const answers: (() => void)[] = [];
  const own = new OwnLookups();
  const resolve = (name: string) => {
    asked.push(name);
    const { promise, resolve: answer } = Promise.withResolvers<typeof FOUND>();
    answers.push(() => answer(FOUND));
    return promise;
  };
  return { asked, answers, look: (name: string) => own.resolve(name, resolve) };
}

test('a name is looked up once for all that ask for it, and one after the other', async () => {
  const { asked, answers, look } = lookups();
  const all = ['a.example', 'a.example', 'b.example'].map(look);
  await expect.poll(() => asked).toEqual(['a.example']);
  answers[0]?.();
  await expect.poll(() => asked).toEqual(['a.example', 'b.example']);
  answers[1]?.();
  expect(await Promise.all(all)).toEqual([FOUND, FOUND, FOUND]);
});

test('names without end are refused, and have their place again afterwards', async () => {
  const { answers, look } = lookups();
  const waiting = Array.from({ length: 16 }, (_, index) => look(`${index}.example`));
  await expect(look('one-more.example')).rejects.toMatchObject({ code: 'too many names at once' });
  for (let index = 0; index < 16; index += 1) {
    await expect.poll(() => answers.length).toBe(index + 1);
    answers[index]?.();
  }
  await Promise.all(waiting);
  const again = look('one-more.example');
  await expect.poll(() => answers.length).toBe(17);
  answers[16]?.();
  expect(await again).toEqual(FOUND);
});

test('one that takes too long is refused, and keeps its place until it has ended', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { asked, answers, look } = lookups();
  const late = expect(look('slow.example')).rejects.toMatchObject({ code: 'ETIMEDOUT' });
  const next = look('next.example');
  await vi.advanceTimersByTimeAsync(15_000);
  await late;
  // It still has one of the places that all runs share: a second one would be the last.
  expect(asked).toEqual(['slow.example']);
  await expect(look('slow.example')).rejects.toMatchObject({ code: 'ETIMEDOUT' });
  answers[0]?.();
  await vi.advanceTimersByTimeAsync(0);
  expect(asked).toEqual(['slow.example', 'next.example']);
  answers[1]?.();
  expect(await next).toEqual(FOUND);
});
