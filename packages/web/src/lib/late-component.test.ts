import { expect, test } from 'vitest';
import { lacksCode, lateComponent } from './late-component.ts';

const Shown = () => null;

test('code that could not be loaded is asked for again, and once only when it is there', async () => {
  const answers = [Promise.reject(new TypeError('Failed to fetch')), Promise.resolve(Shown)];
  let asked = 0;
  const Late = lateComponent(() => answers[asked++] ?? Promise.reject(new Error('asked too often')));
  expect(lacksCode.get()).toBe(false);
  await Late.preload();
  expect(Late.code.get()).toBeUndefined();
  expect(lacksCode.get()).toBe(true);
  await Promise.all([Late.preload(), Late.preload()]);
  expect(Late.code.get()).toBe(Shown);
  await Late.preload();
  expect(asked).toBe(2);
});
