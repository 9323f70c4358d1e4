/** The database cannot be used; the message is one sentence for the person who started us. */
export class PostgresError extends Error {
  override readonly name = 'PostgresError';
}
