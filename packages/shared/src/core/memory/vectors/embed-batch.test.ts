import { expect, test } from 'vitest';
import { ModelError } from '../../../platform/models/model-ports.ts';
import { type Embed, embedTexts } from './embed-batch.ts';

/** A model that takes no text with an x, and remembers what it was asked. */
function aModel() {
  const asked: string[][] = [];
  const embed: Embed = async (texts) => {
    asked.push([...texts]);
    if (texts.some((text) => text.includes('x'))) throw new ModelError('refused', '400: no x', 400);
    return texts.map((text) => [1, text.length]);
  };
  return { asked, embed };
}

test('a refused batch is halved until the refused text is alone', async () => {
  const { asked, embed } = aModel();
  const vectors = await embedTexts(embed, ['a', 'b', 'x', 'c'], 2);
  expect(vectors.map((vector) => vector?.length ?? null)).toEqual([2, 2, null, 2]);
  expect(asked).toEqual([['a', 'b', 'x', 'c'], ['a', 'b'], ['x', 'c'], ['x'], ['hello'], ['c']]);
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

test.each([401, 404, 429, 500, undefined])('a failure of %s says nothing about a text', async (status) => {
  const embed: Embed = () => Promise.reject(new ModelError('refused', 'no', status));
  await expect(embedTexts(embed, ['a', 'b'], null)).rejects.toMatchObject({ status });
});

test('vectors of different lengths are refused', async () => {
  const embed: Embed = async (texts) => texts.map((_, index) => Array<number>(index + 1).fill(1));
  await expect(embedTexts(embed, ['a', 'b'], null)).rejects.toMatchObject({ kind: 'broken' });
  await expect(embedTexts(embed, ['a'], 2)).rejects.toMatchObject({ kind: 'broken' });
});
