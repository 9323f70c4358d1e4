import { expect, test } from 'vitest';
import { findFreePort, findTestPort } from './free-port.ts';

const twenty = (find: () => Promise<number>) => Promise.all(Array.from({ length: 20 }, () => find()));

test('ports that no outgoing connection takes', async () => {
  for (const port of [...(await twenty(findFreePort)), ...(await twenty(findTestPort))]) {
    expect(port).toBeGreaterThan(1_023);
    expect(port).toBeLessThan(32_768);
  }
});

test('a test is given other ports than a product, and each port once', async () => {
  const ports = await twenty(findTestPort);
  expect(new Set(ports).size).toBe(20);
  expect(Math.max(...ports)).toBeLessThan(Math.min(...(await twenty(findFreePort))));
});
