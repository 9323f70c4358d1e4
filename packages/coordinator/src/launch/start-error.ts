/** The run ends before it has begun; the message is for a person and says what to do. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
