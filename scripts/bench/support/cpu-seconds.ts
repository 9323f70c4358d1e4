/** Seconds of CPU that a process of the product has used since its start, as it reports them. */
export async function cpuSecondsOf(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^process_cpu_seconds_total\S* ([\d.e+-]+)/m.exec(text)?.[1] ?? Number.NaN);
}
