import { expect, test } from 'vitest';
import { ScryptPool } from './scrypt-pool.ts';

/** About 10 ms each. */
const task = {
  text: 'a passkey',
  salt: Buffer.from('0123456789abcdef'),
  keyBytes: 32,
  N: 2 ** 12,
  r: 8,
  p: 1,
};

test('a limited number runs and waits, the others are refused at once; then it continues', async () => {
  const pool = new ScryptPool({ threads: 1, maxQueued: 3 });
  try {
    const results = await Promise.allSettled(Array.from({ length: 6 }, () => pool.derive(task)));
    expect(results.map(({ status }) => status)).toEqual([
      ...Array.from({ length: 4 }, () => 'fulfilled'),
      ...Array.from({ length: 2 }, () => 'rejected'),
    ]);
    expect(results[5]).toMatchObject({ reason: { code: 'rate_limited', retryAfterSeconds: 1 } });
    expect((await pool.derive(task)).toString('hex')).toMatch(/^[0-9a-f]{64}$/);
  } finally {
    await pool.close();
  }
});

test('passkeys without a usable tag take one place only, however many there are', async () => {
  const pool = new ScryptPool({ threads: 1, maxQueued: 3 });
  try {
    const unjudged = Promise.allSettled(
      Array.from({ length: 30 }, (_, index) => pool.deriveUnjudged(task, `agt_${index % 2}`)),
    );
    // More than the queue holds: if all thirty were in it, each of these would be refused.
    const others = await Promise.allSettled(Array.from({ length: 2 }, () => pool.derive(task)));
    expect(others.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    const statuses = (await unjudged).map(({ status }) => status);
    expect(statuses.filter((status) => status === 'fulfilled')).toHaveLength(16);
  } finally {
    await pool.close();
  }
});
