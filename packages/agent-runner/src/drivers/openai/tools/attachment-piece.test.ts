import { expect, test } from 'vitest';
import { pieceThatFits } from './attachment-piece.ts';

const attachment = { id: 'fil_1', name: 'a.log', mediaType: 'text/plain', size: 1 };
const file = (text: string, more = {}) => ({ attachment, kind: 'text', text, ...more });

/** Reads a file as a model does: by the offsets that it is given. */
function readAll(whole: string, served: number): string {
  let read = '';
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    const text = whole.slice(offset, offset + served);
    const next = offset + text.length < whole.length ? { next_offset: offset + text.length } : {};
    const shown: unknown = pieceThatFits(file(text, next), { id: 'fil_1', offset }, 16_000);
    expect(JSON.stringify(shown).length).toBeLessThanOrEqual(16_000);
    const { text: piece, next_offset } = shown as { text: string; next_offset?: number };
    expect(piece.isWellFormed()).toBe(true);
    read += piece;
    offset = next_offset;
  }
  return read;
}

test.each([
  ['long lines', 'line\n'.repeat(20_000)],
  ['control characters', '\u001b[1m'.repeat(15_000)],
  ['characters of two units', '🦆'.repeat(40_000)],
])('a file of %s is read whole, in pieces that fit', (_, whole) => {
  expect(readAll(whole, 50_000)).toBe(whole);
});

test('a short file and other results stay; where it goes on comes before the text', () => {
  for (const output of [file('short'), { attachment, kind: 'image' }, { tasks: [] }, null])
    expect(pieceThatFits(output, {}, 16_000)).toBe(output);
  const cut = pieceThatFits(file('x'.repeat(20_000)), {}, 16_000);
  expect(Object.keys(cut as object)).toEqual(['attachment', 'kind', 'next_offset', 'text']);
});
