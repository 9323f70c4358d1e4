import { ModelError } from '../../../platform/models/model-ports.ts';
import { unitVector } from '../rules/vectors.ts';

/** Asks the model. Must fail with a ModelError, or with the reason of a signal. */
export type Embed = (texts: readonly string[]) => Promise<readonly (readonly number[])[]>;

/** By these a server says that it does not take this text; by any other that it cannot work now. */
const REFUSES_THE_TEXT = new Set([400, 413, 422]);
/** A text that every model takes. */
const PROBE = 'hello';
/** Characters of one request. */
const MOST_AT_ONCE = 60_000;

/**
 * A vector of length 1 for each text. Null: the model refuses that text, alone and while it takes another one.
 * @throws ModelError the model is away, or its answer is not one vector of `dimensions` numbers for each text.
 */
export async function embedTexts(
  embed: Embed,
  texts: readonly string[],
  dimensions: number | null,
): Promise<(Float32Array | null)[]> {
  const vectors: (Float32Array | null)[] = [];
  for (const part of requestsOf(texts))
    for (const vector of await embedPart(embed, part)) vectors.push(vector);
  let expected = dimensions;
  for (const vector of vectors) {
    expected ??= vector?.length ?? null;
    if (vector && vector.length !== expected)
      throw new ModelError('broken', `a vector of ${vector.length} numbers instead of ${expected}`);
  }
  return vectors;
}

async function embedPart(embed: Embed, texts: readonly string[]): Promise<(Float32Array | null)[]> {
  try {
    return checked(texts, await embed(texts));
  } catch (error) {
    if (!(error instanceof ModelError) || !REFUSES_THE_TEXT.has(error.status ?? 0)) throw error;
    if (texts.length === 1) {
      checked([PROBE], await embed([PROBE]));
      return [null];
    }
    const middle = Math.ceil(texts.length / 2);
    return [
      ...(await embedPart(embed, texts.slice(0, middle))),
      ...(await embedPart(embed, texts.slice(middle))),
    ];
  }
}

function checked(texts: readonly string[], values: readonly (readonly number[])[]): Float32Array[] {
  if (values.length !== texts.length)
    throw new ModelError('broken', `${values.length} vectors for ${texts.length} texts`);
  return values.map((value) => {
    const vector = unitVector(value);
    if (vector === null) throw new ModelError('broken', 'an answer that is no vector');
    return vector;
  });
}

function requestsOf(texts: readonly string[]): string[][] {
  const requests: string[][] = [];
  let characters = 0;
  for (const text of texts) {
    const last = requests.at(-1);
    characters += text.length;
    if (last !== undefined && characters <= MOST_AT_ONCE) last.push(text);
    else {
      requests.push([text]);
      characters = text.length;
    }
  }
  return requests;
}
