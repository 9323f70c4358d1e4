import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutInput, isTooDeep, MAX_INPUT_DEPTH } from './cut-input.ts';

const BYTES = 65_536;
const sizeOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

test.each<[string, unknown]>([
  ['an object', { command: 'ls', list: [1, null, true, 'あ'] }],
  ['null', null],
  ['a text', 'x'],
  ['what fits exactly', 'x'.repeat(BYTES - 2)],
])('%s that is small enough stays as it is', (_name, input) => {
  expect(cutInput(input, BYTES)).toEqual({ input, isCut: false });
});

test('of long texts the beginning is shown, and what was left out is said; short values stay whole', () => {
  const { input, isCut } = cutInput({ file_path: '/project/a.ts', content: 'x'.repeat(100_000) }, BYTES);
  expect(isCut).toBe(true);
  expect(input).toEqual({
    file_path: '/project/a.ts',
    content: `${'x'.repeat(32_768)}… (67232 more characters were left out)`,
  });
});

test('many long texts are all shortened, the keys keep their order', () => {
  const edits = Array.from({ length: 20 }, (_, n) => ({ path: `f${n}`, text: 'あ'.repeat(5_000) }));
  const { input } = cutInput({ z: 1, edits, a: 2 }, BYTES);
  expect(Object.keys(Object(input))).toEqual(['z', 'edits', 'a']);
  expect(JSON.stringify(input)).toContain('"path":"f19"');
  expect(sizeOf(input)).toBeLessThanOrEqual(BYTES);
});

test('an input of too many parts becomes the beginning of its JSON', () => {
  const { input, isCut } = cutInput(
    Array.from({ length: 60_000 }, (_, n) => n),
    BYTES,
  );
  expect(isCut).toBe(true);
  expect(input).toMatch(/^\[0,1,2,.*… \(\d+ more characters were left out\)$/);
});

test('any JSON: it fits afterwards, is well-formed, and is cut only when it has to be', () => {
  fc.assert(
    fc.property(
      fc.jsonValue({ maxDepth: 4 }),
      fc.string({ unit: 'binary' }),
      fc.nat(40_000),
      (value, text, n) => {
        const given = { value, text: text.repeat(Math.ceil(n / (text.length + 1))), odd: `${text}\u0001"\\` };
        const { input, isCut } = cutInput(given, BYTES);
        expect(sizeOf(input)).toBeLessThanOrEqual(BYTES);
        expect(JSON.stringify(input).isWellFormed()).toBe(true);
        expect(isCut).toBe(sizeOf(given) > BYTES);
      },
    ),
  );
});

test('the depth is limited, also of what nobody could serialise', () => {
  const nested = (depth: number) => {
    let value: unknown = 1;
    for (let n = 0; n < depth; n += 1) value = [value];
    return value;
  };
  expect(isTooDeep(nested(MAX_INPUT_DEPTH))).toBe(false);
  expect(isTooDeep(nested(MAX_INPUT_DEPTH + 1))).toBe(true);
  expect(isTooDeep(nested(100_000))).toBe(true);
  expect(isTooDeep(null)).toBe(false);
});
