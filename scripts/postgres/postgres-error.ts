/** The database cannot be used. The message is one sentence for the person who started the product. */
export class PostgresError extends Error {
  override readonly name = 'PostgresError';
}
