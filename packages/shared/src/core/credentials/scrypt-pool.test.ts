import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { ScryptPool } from './scrypt-pool.ts';

/** scrypt waits for its thread, which starts late on a busy machine. */
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

test('files are read while all its threads are busy, more of them than libuv has', async () => {
  const pool = new ScryptPool({ threads: 1, maxQueued: 40 });
  let derived = 0;
  try {
    const all = Promise.all(
      Array.from({ length: 8 }, async () => {
        await pool.derive(task);
        derived += 1;
      }),
    );
    await readFile(new URL(import.meta.url));
    expect(derived).toBeLessThan(8);
    await all;
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
