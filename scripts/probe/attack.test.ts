import { expect, test } from 'vitest';
import { Broken, must, mustAll } from './attack.ts';

const succeeds = async () => must(false, 'it could');
const isRefused = async () => undefined;
const cannotBeTried = async () => {
  throw new Error('not found');
};

test('an attack that succeeded is told, also where others could not be tried', async () => {
  const tried = mustAll({ first: succeeds, second: cannotBeTried, third: isRefused, fourth: succeeds });
  await expect(tried).rejects.toThrow(new Broken('first, fourth: it could'));
});

test('where none succeeded, what could not be tried is told', async () => {
  const tried = mustAll({ first: isRefused, second: cannotBeTried });
  await expect(tried).rejects.toThrow('not found');
});
