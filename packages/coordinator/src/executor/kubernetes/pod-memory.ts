import { z } from 'zod';

const MIB = 1024 * 1024;
const metricsSchema = z.object({
  containers: z.array(z.object({ usage: z.object({ memory: z.string() }) })),
});
/** Of the quantities that a cluster writes, those of memory. */
const QUANTITY = /^(\d+)(Ki|Mi|Gi|k|M|G)?$/;
const BYTES: Readonly<Record<string, number>> = {
  Ki: 1024,
  Mi: MIB,
  Gi: 1024 * MIB,
  k: 1e3,
  M: 1e6,
  G: 1e9,
};

/** What the containers of a pod need together, in MiB; undefined when that is not said. */
export function podMemoryMb(metrics: unknown): number | undefined {
  const { data } = metricsSchema.safeParse(metrics);
  if (!data || data.containers.length === 0) return undefined;
  const bytes = data.containers.map(({ usage }) => bytesOf(usage.memory));
  return Math.ceil(bytes.reduce((sum, one) => sum + one, 0) / MIB);
}

function bytesOf(quantity: string): number {
  const [, digits = '0', unit = ''] = QUANTITY.exec(quantity) ?? [];
  return Number(digits) * (BYTES[unit] ?? 1);
}
