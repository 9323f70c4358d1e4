/* Float32 as the hosts of the product (x64, arm64) hold it: little endian. */

export function bytesOf({ buffer, byteOffset, byteLength }: Float32Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** A copy: the bytes of a row need not lie where numbers may. */
export function vectorOf(bytes: Uint8Array): Float32Array {
  const copy = Uint8Array.from(bytes);
  return new Float32Array(copy.buffer, 0, Math.floor(copy.length / Float32Array.BYTES_PER_ELEMENT));
}
