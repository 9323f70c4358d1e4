/** The case that the types exclude; throws if such a value occurs nevertheless. */
export function unreachable(value: never): never {
  throw new Error(`unexpected value ${JSON.stringify(value)}`);
}
