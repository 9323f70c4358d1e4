import { createHmac } from 'node:crypto';
import { newSecret } from '../../platform/ids.ts';
import { sameSecret } from '../../platform/token-hash.ts';
import { deriveKey } from '../credentials/passkey-tags.ts';

/**
 * A device cookie (OWASP): it proves that somebody signed in with this browser as this account with the
 * current passkey. It grants no access; attempts with it only do not wait behind those of strangers. Nothing
 * is stored: a new passkey, its removal, or another AIZUCHI_INTERNAL_TOKEN makes it invalid.
 */
export class DeviceMarks {
  readonly #key: Buffer;

  constructor(internalToken: string) {
    this.#key = deriveKey(internalToken, 'aizuchi device mark');
  }

  /** `<nonce>.<proof>`. */
  make(agentId: string, passkeyHash: string): string {
    return this.#withProof(newSecret(), agentId, passkeyHash);
  }

  /**
   * The key by which its failures are counted; undefined when it belongs to another account, or to an earlier
   * passkey.
   */
  nonceOf(mark: string, agentId: string, passkeyHash: string): string | undefined {
    const [nonce = ''] = mark.split('.');
    return sameSecret(mark, this.#withProof(nonce, agentId, passkeyHash)) ? nonce : undefined;
  }

  #withProof(nonce: string, agentId: string, passkeyHash: string): string {
    const proof = createHmac('sha256', this.#key).update(`${nonce}\0${agentId}\0${passkeyHash}`);
    return `${nonce}.${proof.digest('base64url')}`;
  }
}
