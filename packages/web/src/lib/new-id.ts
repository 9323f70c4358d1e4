const BYTES = 16;

/**
 * An id that nobody else makes. Not `crypto.randomUUID`: browsers have that only on pages that came by TLS or from their
 * own host.
 */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
