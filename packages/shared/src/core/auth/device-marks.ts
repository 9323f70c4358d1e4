import { createHmac } from 'node:crypto';
import { newSecret } from '../../platform/ids.ts';
import { sameSecret } from '../../platform/token-hash.ts';
import { deriveKey } from '../credentials/passkey-tags.ts';

/**
 * What a browser keeps that has signed in (OWASP's device cookie): it proves that somebody signed in there as this
 * account with the passkey of today. It opens nothing; its attempts only do not wait behind strangers. Nothing of it is
 * stored: a new passkey, none, or another AIZUCHI_INTERNAL_TOKEN ends it.
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

  /** By what its failures are counted; undefined when it is not of this account, or of an earlier passkey. */
  nonceOf(mark: string, agentId: string, passkeyHash: string): string | undefined {
    const [nonce = ''] = mark.split('.');
    return sameSecret(mark, this.#withProof(nonce, agentId, passkeyHash)) ? nonce : undefined;
  }

  #withProof(nonce: string, agentId: string, passkeyHash: string): string {
    const proof = createHmac('sha256', this.#key).update(`${nonce}\0${agentId}\0${passkeyHash}`);
    return `${nonce}.${proof.digest('base64url')}`;
  }
}
