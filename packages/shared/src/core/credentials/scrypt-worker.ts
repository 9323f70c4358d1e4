/** The file of a worker thread of scrypt-pool.ts: it blocks only its own thread. */
import { scryptSync } from 'node:crypto';

export interface ScryptTask {
  readonly text: string;
  readonly salt: Uint8Array;
  readonly keyBytes: number;
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

export default function derive({ text, salt, keyBytes, N, r, p }: ScryptTask): Uint8Array {
  // Node refuses parameters that need 128 · N · r bytes or more than maxmem.
  return new Uint8Array(scryptSync(text, salt, keyBytes, { N, r, p, maxmem: 256 * N * r }));
}
