import type { PasskeyCost } from '../core/credentials/passkey.ts';

/** Each hash carries its own cost: with this one an agent with a passkey is made in no time instead of 0.1 s. */
export const QUICK_PASSKEYS: PasskeyCost = { log2N: 4, r: 8, p: 1 };
