import { readFile } from 'node:fs/promises';
import { z } from 'zod';

/** One message that was in front of a connected agent. */
const givenSchema = z.object({ id: z.string(), marked: z.boolean().default(false) });
export type Given = z.infer<typeof givenSchema>;

/** Reads a file with one such message in each line. */
export async function readGiven(file: string): Promise<Given[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => givenSchema.parse(JSON.parse(line)));
}
