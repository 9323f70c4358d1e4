import { begunSecretOf, hiderOf } from '@aizuchi/shared/platform/secret-values';
import { expect, test } from 'vitest';
import { HiddenStream } from './hidden-stream.ts';

const SECRETS = ['halfway-1234', 'fast-and-good'];
const makeStream = () => new HiddenStream({ hide: hiderOf(SECRETS), begunSecret: begunSecretOf(SECRETS) });

test('a text that ends as many words do is shown to its end', () => {
  const stream = makeStream();
  expect(stream.push('The first half')).toBe('The first ');
  expect(stream.push(' of')).toBe('half of');
  expect(stream.push(' the proo')).toBe(' the proo');
  expect(stream.push('f')).toBe('f');
  expect(stream.push(', of wha')).toBe(', of wha');
});

test.each([1, 2, 3, 5, 11])('a secret in pieces of %i characters cannot be put together', (size) => {
  const stream = makeStream();
  const said = 'It is halfway-1234, or fast-and-good.';
  const pieces = Array.from({ length: Math.ceil(said.length / size) }, (_, index) =>
    said.slice(index * size, (index + 1) * size),
  );
  const shown = pieces.map((piece) => stream.push(piece)).join('') + stream.flush();
  expect(shown).toHaveLength(said.length);
  expect(shown).toMatch(/^It is (ha?)?·+\[hidden\], or (fa?)?·+\[hidden\]\.$/);
  for (const secret of SECRETS) expect(shown).not.toContain(secret.slice(0, 3));
  for (const secret of SECRETS) expect(shown).not.toContain(secret.slice(3));
});

test('what begins after the text was shortened is no part of what was shown before', () => {
  const stream = makeStream();
  stream.push('ha');
  stream.flush();
  expect(stream.push('lfway-1234')).toBe('lfway-1234');
});
