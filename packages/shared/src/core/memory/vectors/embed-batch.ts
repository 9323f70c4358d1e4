import { ModelError } from '../../../platform/models/model-ports.ts';
import { unitVector } from '../rules/vectors.ts';

/** Asks the model. Must fail with a ModelError, or with the reason of a signal. */
export type Embed = (texts: readonly string[]) => Promise<readonly (readonly number[])[]>;

/** By these a server says that it does not take this text. */
const REFUSES_THE_TEXT = new Set([400, 413, 422]);
/** By these, that it takes no text now: the key, the address, the load. Of any other status the text may be the reason. */
const REFUSES_EVERY_TEXT = new Set([401, 403, 404, 429, 503]);
/** A text that every model takes. */
const PROBE = 'hello';
/** Characters of one request. */
const MAX_CHARACTERS_AT_ONCE = 60_000;

/**
 * A vector of length 1 for each text. Null: the model fails for that text, alone and while it takes another one.
 * @throws ModelError the model is away, or its vectors are not of `dimensions` numbers; or the reason of a signal.
 */
export async function embedTexts(
  embed: Embed,
  texts: readonly string[],
  dimensions: number | null,
): Promise<(Float32Array | null)[]> {
  const vectors: (Float32Array | null)[] = [];
  for (const part of requestsOf(texts))
    for (const vector of await embedRequest(embed, part)) vectors.push(vector);
  let expected = dimensions;
  for (const vector of vectors) {
    expected ??= vector?.length ?? null;
    if (vector && vector.length !== expected)
      throw new ModelError('broken', `a vector of ${vector.length} numbers instead of ${expected}`);
  }
  return vectors;
}

/** Asks the probe before anything is split, so that a model that is away costs two requests. */
async function embedRequest(embed: Embed, texts: readonly string[]): Promise<(Float32Array | null)[]> {
  try {
    return checked(texts, await embed(texts));
  } catch (error) {
    if (!mayBeOfText(error)) throw error;
    await askProbe(embed);
    return texts.length === 1 ? [await embedAgain(embed, texts, error)] : embedHalves(embed, texts);
  }
}

async function embedHalves(embed: Embed, texts: readonly string[]): Promise<(Float32Array | null)[]> {
  const middle = Math.ceil(texts.length / 2);
  return [
    ...(await embedHalf(embed, texts.slice(0, middle))),
    ...(await embedHalf(embed, texts.slice(middle))),
  ];
}

async function embedHalf(embed: Embed, texts: readonly string[]): Promise<(Float32Array | null)[]> {
  if (texts.length === 1) return embedRequest(embed, texts);
  try {
    return checked(texts, await embed(texts));
  } catch (error) {
    if (!mayBeOfText(error)) throw error;
    return embedHalves(embed, texts);
  }
}

/** A text is left out for good: one failure that names no text, such as a server that starts again, is not enough. */
async function embedAgain(
  embed: Embed,
  texts: readonly string[],
  failure: unknown,
): Promise<Float32Array | null> {
  if (failure instanceof ModelError && REFUSES_THE_TEXT.has(failure.status ?? 0)) return null;
  try {
    return checked(texts, await embed(texts))[0] ?? null;
  } catch (error) {
    if (!mayBeOfText(error)) throw error;
    await askProbe(embed);
    return null;
  }
}

async function askProbe(embed: Embed): Promise<void> {
  checked([PROBE], await embed([PROBE]));
}

/** Not when the process is stopping: that aborts with another reason than a timeout. */
function mayBeOfText(error: unknown): boolean {
  if (error instanceof ModelError) return !REFUSES_EVERY_TEXT.has(error.status ?? 0);
  return error instanceof DOMException && error.name === 'TimeoutError';
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
    if (last !== undefined && characters <= MAX_CHARACTERS_AT_ONCE) last.push(text);
    else {
      requests.push([text]);
      characters = text.length;
    }
  }
  return requests;
}
