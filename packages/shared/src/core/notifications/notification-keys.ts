import { createCipheriv, createDecipheriv, createECDH, createHmac, randomBytes } from 'node:crypto';
import { sameSecret } from '../../platform/token-hash.ts';
import { deriveKey } from '../credentials/passkey-tags.ts';

export interface VapidKeys {
  readonly publicKey: string;
  readonly privateKey: string;
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * The keys of notifications are derived from the token that only the services of this home have, so the database holds
 * none of them. With another AIZUCHI_INTERNAL_TOKEN browsers subscribe again, webhooks need a new secret, and tokens of
 * ntfy have to be given again.
 */
export class NotificationKeys {
  readonly vapid: VapidKeys;
  readonly #secret: Buffer;
  readonly #seal: Buffer;
  readonly #link: Buffer;

  constructor(internalToken: string) {
    this.#secret = deriveKey(internalToken, 'aizuchi webhook secret');
    this.#seal = deriveKey(internalToken, 'aizuchi notification access');
    this.#link = deriveKey(internalToken, 'aizuchi answer link');
    const pair = createECDH('prime256v1');
    const privateKey = deriveKey(internalToken, 'aizuchi web push');
    pair.setPrivateKey(privateKey);
    this.vapid = {
      publicKey: pair.getPublicKey('base64url'),
      privateKey: privateKey.toString('base64url'),
    };
  }

  /** With which the calls of this webhook are signed. */
  webhookSecret(channelId: string): string {
    return `whsec_${createHmac('sha256', this.#secret).update(channelId).digest('base64url')}`;
  }

  seal(text: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#seal, nonce);
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
  }

  /** Undefined: it was sealed with another key. */
  open(sealed: string): string | undefined {
    const bytes = Buffer.from(sealed, 'base64url');
    try {
      const decipher = createDecipheriv(CIPHER, this.#seal, bytes.subarray(0, NONCE_BYTES));
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      return Buffer.concat([
        decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)),
        decipher.final(),
      ]).toString('utf8');
    } catch {
      return undefined;
    }
  }

  /** What an answer link holds: the card, and the channel to which it was sent. */
  linkToken(toolUseId: string, channelId: string): string {
    return `${toolUseId}.${channelId}.${this.#proof(toolUseId, channelId)}`;
  }

  readLink(token: string): { readonly toolUseId: string; readonly channelId: string } | undefined {
    const [toolUseId = '', channelId = '', proof = ''] = token.split('.');
    return sameSecret(proof, this.#proof(toolUseId, channelId)) ? { toolUseId, channelId } : undefined;
  }

  #proof(toolUseId: string, channelId: string): string {
    return createHmac('sha256', this.#link).update(`${toolUseId}\0${channelId}`).digest('base64url');
  }
}
