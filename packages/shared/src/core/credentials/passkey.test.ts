import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { QUICK_PASSKEYS } from '../../testing/quick-passkeys.ts';
import { hashPasskey, verifyPasskey } from './passkey.ts';

/** scrypt at its full cost waits for its turn on one thread, also behind the calls of other tests. */

test('only the right passkey is accepted, and the hash does not contain it', async () => {
  const hash = await hashPasskey('correct horse');
  expect(hash).toMatch(/^scrypt\$15\$8\$1\$[\w-]{22}\$[\w-]{43}$/);
  expect(hash).not.toContain('correct');
  expect(await verifyPasskey('correct horse', hash)).toBe(true);
  expect(await verifyPasskey('correct horse ', hash)).toBe(false);
  expect(await verifyPasskey('', hash)).toBe(false);
});

test('the same passkey has another hash each time', async () => {
  expect(await hashPasskey('same passkey', QUICK_PASSKEYS)).not.toBe(
    await hashPasskey('same passkey', QUICK_PASSKEYS),
  );
});

test('letters typed in another Unicode form are the same letters', async () => {
  const hash = await hashPasskey('が'.normalize('NFC').repeat(8), QUICK_PASSKEYS);
  expect(await verifyPasskey('が'.normalize('NFD').repeat(8), hash)).toBe(true);
});

test('without a hash every passkey is refused', async () => {
  expect(await verifyPasskey('', undefined)).toBe(false);
  expect(await verifyPasskey('a passkey', undefined)).toBe(false);
});

test('trap 28: a file is read while many passkeys are hashed', async () => {
  let hashed = 0;
  const cost = { log2N: 14, r: 8, p: 1 };
  const all = Promise.all(
    Array.from({ length: 30 }, async () => {
      await hashPasskey('a passkey', cost);
      hashed += 1;
    }),
  );
  await readFile(new URL(import.meta.url));
  // One of the four threads of libuv would open the file after 27 of them.
  expect(hashed).toBeLessThan(20);
  await all;
});
