const WITHIN_MS = 5_000;

/** Whether the server answers soon: one small request, before all reads of a page are asked for. */
export async function isServed(): Promise<boolean> {
  try {
    return (await fetch('/', { method: 'HEAD', cache: 'no-store', signal: AbortSignal.timeout(WITHIN_MS) }))
      .ok;
  } catch {
    return false;
  }
}
