/**
 * Converts arguments from the wire to the form of the services: camelCase; absent instead of undefined. One
 * level deep.
 */
export type CamelKeys<T> = { [K in keyof T as CamelKey<K & string>]: Exclude<T[K], undefined> };
type CamelKey<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelKey<Tail>>}`
  : S;

/**
 * Converts results of services to the form of the wire: snake_case; absent instead of undefined or null. One
 * level deep.
 */
export type SnakeKeys<T> = { [K in keyof T as SnakeKey<K & string>]: Exclude<T[K], undefined | null> };
type SnakeKey<S extends string> = S extends `${infer Head}${infer Tail}`
  ? Head extends Lowercase<Head>
    ? `${Head}${SnakeKey<Tail>}`
    : `_${Lowercase<Head>}${SnakeKey<Tail>}`
  : S;

export function camelKeys<T extends object>(input: T): CamelKeys<T> {
  const entries = Object.entries(input).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries.map(([key, value]) => [camel(key), value])) as CamelKeys<T>;
}

export function snakeKeys<T extends object>(output: T): SnakeKeys<T> {
  const entries = Object.entries(output).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(entries.map(([key, value]) => [snake(key), value])) as SnakeKeys<T>;
}

function camel(key: string): string {
  return key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function snake(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
