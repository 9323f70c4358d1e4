import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';

/**
 * scrypt with its parameters beside each hash, so that they can be raised without asking anybody for a new
 * passkey: about 90 ms and 32 MiB here. The growing delay, not this, is what stops guessing over the network.
 */
const COST: PasskeyCost = { log2N: 15, r: 8, p: 1 };
const KEY_BYTES = 32;
const SALT_BYTES = 16;

/** `scrypt$15$8$1$<salt>$<key>`. */
export async function hashPasskey(passkey: string, cost = COST): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const key = await derive(passkey, salt, cost);
  const { log2N, r, p } = cost;
  return ['scrypt', log2N, r, p, salt.toString('base64url'), key.toString('base64url')].join('$');
}

/**
 * Does the passkey belong to this hash? Without a hash (unknown account, no credential) the same work is done and
 * the answer is no, so that nobody can tell the cases apart by the clock.
 */
export async function verifyPasskey(passkey: string, hash: string | undefined): Promise<boolean> {
  const stored = hash === undefined ? undefined : parseHash(hash);
  const { salt, key, cost } = stored ?? DUMMY;
  const derived = await derive(passkey, salt, cost);
  return timingSafeEqual(derived, key) && stored !== undefined;
}

export interface PasskeyCost {
  readonly log2N: number;
  readonly r: number;
  readonly p: number;
}

const DUMMY = { salt: randomBytes(SALT_BYTES), key: randomBytes(KEY_BYTES), cost: COST };

function parseHash(hash: string): { salt: Buffer; key: Buffer; cost: PasskeyCost } {
  const [scheme, log2N, r, p, salt, key] = hash.split('$');
  if (scheme !== 'scrypt' || salt === undefined || key === undefined)
    throw new Error('a stored passkey hash cannot be read');
  return {
    salt: Buffer.from(salt, 'base64url'),
    key: Buffer.from(key, 'base64url'),
    cost: { log2N: Number(log2N), r: Number(r), p: Number(p) },
  };
}

function derive(passkey: string, salt: Buffer, { log2N, r, p }: PasskeyCost): Promise<Buffer> {
  const N = 2 ** log2N;
  // Node refuses what needs 128 · N · r bytes or more than maxmem.
  const options: ScryptOptions = { N, r, p, maxmem: 256 * N * r };
  // The same characters typed on another system may come in another form.
  const typed = passkey.normalize('NFC');
  return new Promise((resolve, reject) => {
    scrypt(typed, salt, KEY_BYTES, options, (error, key) => (error ? reject(error) : resolve(key)));
  });
}
