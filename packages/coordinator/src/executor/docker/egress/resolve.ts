import { type LookupAddress, lookup } from 'node:dns';

/** All addresses of a name; rejects when it has none. */
export type Resolve = (name: string) => Promise<LookupAddress[]>;

/** Each takes one of Node's four threads, which files need too: a run that asks for slow names does not stop the others. */
const AT_ONCE = 2;

let running = 0;
const waiting: (() => void)[] = [];

/** As every program of this host does, with its files and name servers. */
export async function resolveByHost(name: string): Promise<LookupAddress[]> {
  if (running >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  else running += 1;
  try {
    return await lookUp(name);
  } finally {
    const next = waiting.shift();
    // It takes our place.
    if (next) next();
    else running -= 1;
  }
}

function lookUp(name: string): Promise<LookupAddress[]> {
  return new Promise((resolve, reject) => {
    lookup(name, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)));
  });
}
