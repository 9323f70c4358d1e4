import { expect, test } from 'vitest';
import { findFreePort } from './free-port.ts';

test('ports that no outgoing connection takes', async () => {
  const ports = await Promise.all(Array.from({ length: 20 }, () => findFreePort()));
  for (const port of ports) {
    expect(port).toBeGreaterThan(1_023);
    expect(port).toBeLessThan(32_768);
  }
});
