import { createHmac, hkdfSync } from 'node:crypto';

/** Stands beside the scrypt hash; null where it was never made. */
export interface PasskeyTag {
  readonly passkeyTag: number | null;
  readonly passkeyTagKey: string | null;
}

/**
 * A sieve before scrypt (adr-0007): one byte of a keyed digest of each passkey, under a key that the database does not
 * have. Of 256 wrong passkeys 255 are known to be wrong by it, at no cost; the one that is left, and the right one, are
 * for scrypt to judge.
 */
export class PasskeyTags {
  /** Tells which key made a tag; says nothing of the key. */
  readonly keyId: string;
  readonly #key: Buffer;

  constructor(internalToken: string) {
    this.#key = deriveKey(internalToken, 'aizuchi passkey tag');
    this.keyId = deriveKey(internalToken, 'aizuchi passkey tag key id').toString('hex', 0, 4);
  }

  make(agentId: string, passkey: string): { passkeyTag: number; passkeyTagKey: string } {
    return {
      passkeyTag: this.#byte(`passkey\0${agentId}\0${passkey.normalize('NFC')}`),
      passkeyTagKey: this.keyId,
    };
  }

  /**
   * False: it is wrong. True: scrypt must tell. Without a stored passkey (`undefined`: nobody, or no credential) the
   * same share of passkeys is let through, so that nobody can tell the cases apart.
   */
  mayBeRight(agentId: string, passkey: string, stored: PasskeyTag | undefined): boolean {
    if (stored && !this.isCurrent(stored)) return true;
    const expected = stored ? stored.passkeyTag : this.#byte(`nobody\0${agentId}`);
    return this.make(agentId, passkey).passkeyTag === expected;
  }

  /** False for a tag that is missing, or was made before AIZUCHI_INTERNAL_TOKEN changed. */
  isCurrent(stored: PasskeyTag): boolean {
    return stored.passkeyTag !== null && stored.passkeyTagKey === this.keyId;
  }

  #byte(text: string): number {
    return createHmac('sha256', this.#key).update(text).digest().readUInt8(0);
  }
}

/** A key of its own for each purpose, from the token that only the services have. */
export function deriveKey(internalToken: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', internalToken, '', purpose, 32));
}
