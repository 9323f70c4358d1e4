import { createHmac, hkdfSync } from 'node:crypto';

/** Stored beside the scrypt hash; null where it was never made. */
export interface PasskeyTag {
  readonly passkeyTag: number | null;
  readonly passkeyTagKey: string | null;
}

/**
 * A filter before scrypt (adr-0007): one byte of a keyed digest of each passkey, with a key that the database
 * does not have. It refuses 255 of 256 wrong passkeys, at no cost; scrypt checks the remaining one and the
 * right one.
 */
export class PasskeyTags {
  /** Identifies the key that made a tag, without revealing the key. */
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
   * False: the passkey is wrong. True: scrypt must decide. Without a stored passkey (`undefined`: no account,
   * or no credential) the same share of passkeys is let through, so that the cases cannot be distinguished.
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

/** A separate key for each purpose, derived from the token that only the services have. */
export function deriveKey(internalToken: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', internalToken, '', purpose, 32));
}
