/** Whether the server answers now: one small request, before all reads of a page are asked for. */
export async function isServed(): Promise<boolean> {
  try {
    return (await fetch('/', { method: 'HEAD', cache: 'no-store' })).ok;
  } catch {
    return false;
  }
}
