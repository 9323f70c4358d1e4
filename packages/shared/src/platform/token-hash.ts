import { createHash, timingSafeEqual } from 'node:crypto';

/** How bearers, tickets and codes are stored: they are 256 random bits, so a plain digest is enough. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

/** Compares two secrets of any length in constant time. */
export function sameSecret(a: string, b: string): boolean {
  return timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest());
}
