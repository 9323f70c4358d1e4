import { expect, test } from 'vitest';
import { RunAddresses } from './run-addresses.ts';

test('an address comes again after all others, and never while it is in use', () => {
  const addresses = new RunAddresses('172.20.0.0/29', ['172.20.0.1', '172.20.0.6']);
  const taken = [1, 2, 3].map(() => addresses.take());
  expect(taken).toEqual(['172.20.0.2', '172.20.0.3', '172.20.0.4']);
  addresses.free('172.20.0.2');
  expect(addresses.take()).toBe('172.20.0.5');
  expect(addresses.take()).toBe('172.20.0.2');
  expect(addresses.take()).toBeUndefined();
});
