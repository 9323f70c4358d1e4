import { randomBytes } from 'node:crypto';

export type IdPrefix =
  | 'prj'
  | 'agt'
  | 'tsk'
  | 'cmt'
  | 'prp'
  | 'his'
  | 'ctx'
  | 'ses'
  | 'conv'
  | 'msg'
  | 'sys'
  | 'run'
  | 'sch'
  | 'tok'
  | 'att'
  | 'fil'
  | 'bat'
  | 'toolu'
  | 'evt'
  | 'sta'
  | 'ret'
  | 'vis'
  | 'chn'
  | 'dsp';

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz';
const ID_LENGTH = 20;

/** A new id such as `msg_01k…`: 20 characters of [0-9a-z], over 100 random bits, always the same length. */
export function newId(prefix: IdPrefix): string {
  let id = '';
  while (id.length < ID_LENGTH) {
    for (const byte of randomBytes(24)) {
      // 252 = 7 × 36: bytes above would favour the first letters.
      if (byte < 252 && id.length < ID_LENGTH) id += ALPHABET.charAt(byte % 36);
    }
  }
  return `${prefix}_${id}`;
}

/** A bearer: 256 random bits, url-safe. Stored only as its hash. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}
