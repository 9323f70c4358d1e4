import { expect, test } from 'vitest';
import { ModelError } from '../../../platform/models/model-ports.ts';
import { type Embed, embedTexts } from './embed-batch.ts';

const refusal = () => new ModelError('refused', '400: no x', 400);

/** A model that takes no text with an x, and remembers what it was asked. */
function aModel(failure: () => Error = refusal) {
  const asked: string[][] = [];
  const embed: Embed = async (texts) => {
    asked.push([...texts]);
    if (texts.some((text) => text.includes('x'))) throw failure();
    return texts.map((text) => [1, text.length]);
  };
  return { asked, embed };
}

test('a refused batch is halved until the refused text is alone', async () => {
  const { asked, embed } = aModel();
  const vectors = await embedTexts(embed, ['a', 'b', 'x', 'c'], 2);
  expect(vectors.map((vector) => vector?.length ?? null)).toEqual([2, 2, null, 2]);
  expect(asked).toEqual([['a', 'b', 'x', 'c'], ['hello'], ['a', 'b'], ['x', 'c'], ['x'], ['hello'], ['c']]);
});

test.each([
  ['500', () => new ModelError('refused', '500: too large', 500)],
  ['a lost connection', () => new ModelError('refused', 'reset')],
  ['a timeout', () => new DOMException('late', 'TimeoutError')],
])('a text that is answered by %s is left out when it is again, and others are taken', async (_, failure) => {
  const { asked, embed } = aModel(failure);
  const vectors = await embedTexts(embed, ['a', 'x', 'b'], 2);
  expect(vectors.map((vector) => vector?.length ?? null)).toEqual([2, null, 2]);
  expect(asked).toEqual([
    ['a', 'x', 'b'],
    ['hello'],
    ['a', 'x'],
    ['a'],
    ['x'],
    ['hello'],
    ['x'],
    ['hello'],
    ['b'],
  ]);
});

test.each([0, Number.NaN])('a text whose vector is %s is left out', async (number) => {
  const embed: Embed = async (texts) => texts.map((text) => (text === 'x' ? [number, 0] : [1, 0]));
  const vectors = await embedTexts(embed, ['a', 'x'], 2);
  expect(vectors.map((vector) => vector?.length ?? null)).toEqual([2, null]);
});

test('a text that fails once is not left out', async () => {
  const failures = [new ModelError('refused', '502: it starts', 502)];
  const embed: Embed = async (texts) => {
    const failure = failures.pop();
    if (failure) throw failure;
    return texts.map(() => [1, 0]);
  };
  expect(await embedTexts(embed, ['a'], 2)).toEqual([Float32Array.of(1, 0)]);
});

test.each([
  ['a model that is away', () => new ModelError('refused', '500', 500), 2],
  ['a model that refuses the key', () => new ModelError('refused', '401', 401), 1],
  ['a model that is busy', () => new ModelError('refused', '503', 503), 1],
  ['a model that is asked too often', () => new ModelError('refused', '429', 429), 1],
  ['a process that is stopping', () => new DOMException('stopped', 'AbortError'), 1],
])('%s is not asked for each text', async (_, failure, requests) => {
  let asked = 0;
  const embed: Embed = async () => {
    asked += 1;
    throw failure();
  };
  await expect(embedTexts(embed, ['a', 'b', 'c', 'd'], 2)).rejects.toThrow();
  expect(asked).toBe(requests);
});

test('many characters go in several requests, a text always as a whole', async () => {
  const { asked, embed } = aModel();
  const long = 'a'.repeat(50_000);
  await embedTexts(embed, [long, 'b', long, 'c'], null);
  expect(asked.map((texts) => texts.map(({ length }) => length))).toEqual([
    [50_000, 1],
    [50_000, 1],
  ]);
});

test.each([401, 404, 429, 500, undefined])(
  'a failure of %s says nothing about a text when the model takes none',
  async (status) => {
    const embed: Embed = () => Promise.reject(new ModelError('refused', 'no', status));
    await expect(embedTexts(embed, ['a', 'b'], null)).rejects.toMatchObject({ status });
  },
);

test('vectors of different lengths are refused', async () => {
  const embed: Embed = async (texts) => texts.map((_, index) => Array<number>(index + 1).fill(1));
  await expect(embedTexts(embed, ['a', 'b'], null)).rejects.toMatchObject({ kind: 'broken' });
  await expect(embedTexts(embed, ['a'], 2)).rejects.toMatchObject({ kind: 'broken' });
});
