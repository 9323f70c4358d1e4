/** The case that the types rule out; throws if a value came in from outside them. */
export function unreachable(value: never): never {
  throw new Error(`unexpected value ${JSON.stringify(value)}`);
}
