/** Keeps one core busy (burners.ts): until whoever started it is gone, at most as many milliseconds as it was told. */
const MOST_AT_ONCE_MS = 20;
const until = performance.now() + Number(process.argv[2]);

process.once('disconnect', () => process.exit(0));
burn();

/** In pieces: between them it hears that it is alone. */
function burn(): void {
  const pause = performance.now() + MOST_AT_ONCE_MS;
  while (performance.now() < pause);
  if (performance.now() < until) setImmediate(burn);
  else process.exit(0);
}
