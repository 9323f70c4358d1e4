import { expect, test } from 'vitest';
import { hashPasskey, verifyPasskey } from './passkey.ts';

test('only the right passkey opens, and the hash tells nothing of it', async () => {
  const hash = await hashPasskey('correct horse');
  expect(hash).toMatch(/^scrypt\$15\$8\$1\$[\w-]{22}\$[\w-]{43}$/);
  expect(hash).not.toContain('correct');
  expect(await verifyPasskey('correct horse', hash)).toBe(true);
  expect(await verifyPasskey('correct horse ', hash)).toBe(false);
  expect(await verifyPasskey('', hash)).toBe(false);
});

test('the same passkey has another hash each time', async () => {
  expect(await hashPasskey('same passkey')).not.toBe(await hashPasskey('same passkey'));
});

test('letters typed in another Unicode form are the same letters', async () => {
  const hash = await hashPasskey('が'.normalize('NFC').repeat(8));
  expect(await verifyPasskey('が'.normalize('NFD').repeat(8), hash)).toBe(true);
});

test('without a hash the answer is no, after the same work', async () => {
  const hash = await hashPasskey('a passkey');
  const timed = async (stored: string | undefined) => {
    const before = process.cpuUsage();
    expect(await verifyPasskey('wrong one', stored)).toBe(false);
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  const [known, unknown] = [await timed(hash), await timed(undefined)];
  expect(unknown).toBeGreaterThan(known / 3);
});
