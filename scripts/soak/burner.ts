/**
 * Keeps one core busy (burners.ts) until its starter has ended, or until the given number of milliseconds is over.
 */
const MAX_AT_ONCE_MS = 20;
const until = performance.now() + Number(process.argv[2]);

process.once('disconnect', () => process.exit(0));
burn();

/** Runs in short pieces, so that the event loop can report that the starter has ended. */
function burn(): void {
  const pause = performance.now() + MAX_AT_ONCE_MS;
  while (performance.now() < pause);
  if (performance.now() < until) setImmediate(burn);
  else process.exit(0);
}
