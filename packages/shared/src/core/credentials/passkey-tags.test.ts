import { expect, test } from 'vitest';
import { DeviceMarks } from '../auth/device-marks.ts';
import { PasskeyTags } from './passkey-tags.ts';

const tags = new PasskeyTags('a token of the services');
const other = new PasskeyTags('another token of theirs');
const guesses = Array.from({ length: 2_560 }, (_, n) => `guess ${n}`);

test('the right passkey always passes, and about one wrong passkey in 256', () => {
  const stored = tags.make('owner', 'が'.normalize('NFC').repeat(8));
  expect(tags.mayBeRight('owner', 'が'.normalize('NFD').repeat(8), stored)).toBe(true);
  const passed = guesses.filter((guess) => tags.mayBeRight('owner', guess, stored)).length;
  expect(passed).toBeGreaterThan(0);
  expect(passed).toBeLessThan(40);
});

test('without an account or without a passkey the same share passes, and always the same ones', () => {
  const passed = guesses.filter((guess) => tags.mayBeRight('nobody', guess, undefined));
  expect(passed.length).toBeGreaterThan(0);
  expect(passed.length).toBeLessThan(40);
  expect(guesses.filter((guess) => tags.mayBeRight('nobody', guess, undefined))).toEqual(passed);
});

test('a tag that is missing, or was made with another token, lets every passkey through to scrypt', () => {
  const none = { passkeyTag: null, passkeyTagKey: null };
  const old = other.make('owner', 'a passkey');
  for (const stored of [none, old]) {
    expect(tags.isCurrent(stored)).toBe(false);
    expect(guesses.every((guess) => tags.mayBeRight('owner', guess, stored))).toBe(true);
  }
  expect(tags.isCurrent(tags.make('owner', 'a passkey'))).toBe(true);
});

test('one passkey has different tags in different accounts', () => {
  const accounts = Array.from({ length: 100 }, (_, n) => tags.make(`agt_${n}`, 'a passkey').passkeyTag);
  expect(new Set(accounts).size).toBeGreaterThan(50);
});

test('a device cookie belongs to one account, one passkey and one token, and cannot be forged', () => {
  const marks = new DeviceMarks('a token of the services');
  const mark = marks.make('owner', 'hash of today');
  const nonce = marks.nonceOf(mark, 'owner', 'hash of today');
  expect(nonce).toMatch(/^[\w-]{43}$/);
  const foreign = new DeviceMarks('another token of theirs').make('owner', 'hash of today');
  for (const wrong of ['', '.', nonce ?? '', `${nonce}.`, `${nonce}.${nonce}`, `${mark}.x`, foreign])
    expect(marks.nonceOf(wrong, 'owner', 'hash of today')).toBeUndefined();
  expect(marks.nonceOf(mark, 'hanako', 'hash of today')).toBeUndefined();
  expect(marks.nonceOf(mark, 'owner', 'hash of tomorrow')).toBeUndefined();
});
