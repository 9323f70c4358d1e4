/** What is of one connection only, and not passed on; the host is written anew. */
const OF_A_CONNECTION = new Set([
  'connection',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'upgrade',
]);

/** Headers as Node reads and writes them: name, value, name, value. Node frames the body itself, by what is said of it here. */
export function passedOn(rawHeaders: readonly string[]): string[] {
  const pairs = rawHeaders.flatMap((name, at) =>
    at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? ''] as const] : [],
  );
  const named = pairs
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(',').map((one) => one.trim().toLowerCase()));
  const left = new Set([...OF_A_CONNECTION, ...named.filter((name) => !FRAMING.has(name))]);
  return pairs.flatMap(([name, value]) => (left.has(name.toLowerCase()) ? [] : [name, value]));
}

/** Without them the body of a request would be read as another request. */
const FRAMING = new Set(['content-length', 'transfer-encoding']);
