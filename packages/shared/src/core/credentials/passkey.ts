import { randomBytes, timingSafeEqual } from 'node:crypto';
import { scryptPool } from './scrypt-pool.ts';

/**
 * scrypt with its parameters beside each hash, so that they can be raised without new passkeys: about 90 ms
 * and 32 MiB here. Guessing over the network is slowed down by holding attempts (sign-in-delay.ts), not by
 * this.
 */
const COST: PasskeyCost = { log2N: 15, r: 8, p: 1 };
const KEY_BYTES = 32;
const SALT_BYTES = 16;

/** `scrypt$15$8$1$<salt>$<key>`. @throws AppError rate_limited when too many wait for a thread. */
export async function hashPasskey(passkey: string, cost = COST): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const key = await derive(passkey, salt, cost);
  const { log2N, r, p } = cost;
  return ['scrypt', log2N, r, p, salt.toString('base64url'), key.toString('base64url')].join('$');
}

/**
 * Whether the passkey belongs to this hash. Without a hash (unknown account, no credential) the same work is
 * done and the result is false, so that the time does not show the difference. @throws AppError rate_limited
 * when too many wait for a thread.
 *
 * @param unjudgedOf the account, where the tag could not refuse a wrong passkey: the check waits behind all
 * others
 */
export async function verifyPasskey(
  passkey: string,
  hash: string | undefined,
  unjudgedOf?: string,
): Promise<boolean> {
  const stored = hash === undefined ? undefined : parseHash(hash);
  const { salt, key, cost } = stored ?? DUMMY;
  const derived = await derive(passkey, salt, cost, unjudgedOf);
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

async function derive(
  passkey: string,
  salt: Buffer,
  { log2N, r, p }: PasskeyCost,
  unjudgedOf?: string,
): Promise<Buffer> {
  // The same characters typed on another system may have another Unicode form.
  const text = passkey.normalize('NFC');
  const task = { text, salt, keyBytes: KEY_BYTES, N: 2 ** log2N, r, p };
  return unjudgedOf === undefined ? scryptPool().derive(task) : scryptPool().deriveUnjudged(task, unjudgedOf);
}
