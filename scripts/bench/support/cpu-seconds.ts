/** What a process of the product has used of the CPU since its start, by its own word. */
export async function cpuSecondsOf(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^process_cpu_seconds_total\S* ([\d.e+-]+)/m.exec(text)?.[1] ?? Number.NaN);
}
