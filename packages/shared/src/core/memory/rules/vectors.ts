/** The vector with length 1, of which the dot product is the cosine. Null: it is none. */
export function unitVector(values: readonly number[]): Float32Array | null {
  const length = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));
  if (!Number.isFinite(length) || length === 0) return null;
  return Float32Array.from(values, (value) => value / length);
}

/** Of a vector and the one that begins at `offset`. Four sums, because one would wait for each addition before it. */
export function dotAt(query: Float32Array, block: Float32Array, offset: number): number {
  const { length } = query;
  const whole = length - (length % 4);
  let [a, b, c, d] = [0, 0, 0, 0];
  for (let i = 0; i < whole; i += 4) {
    a += at(query, i) * at(block, offset + i);
    b += at(query, i + 1) * at(block, offset + i + 1);
    c += at(query, i + 2) * at(block, offset + i + 2);
    d += at(query, i + 3) * at(block, offset + i + 3);
  }
  for (let i = whole; i < length; i += 1) a += at(query, i) * at(block, offset + i);
  return a + b + c + d;
}

function at(values: Float32Array, index: number): number {
  return values[index] as number;
}
