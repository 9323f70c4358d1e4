/** What a program sees from inside of a container, and how that is told. */
import { z } from 'zod';

const seenSchema = z.object({
  node: z.string(),
  hasRunner: z.boolean(),
  /** The code of the system when it could not. */
  wrote: z.union([z.literal(true), z.string()]),
  isImageReadOnly: z.boolean(),
  /** The status, or why there is none. Absent when nothing was called. */
  called: z.union([z.int(), z.string()]).optional(),
});
export type Seen = z.infer<typeof seenSchema>;

/** Runs in the image: plain JavaScript, for whatever node it has. What it could write it removes. */
export const look = (imageFolder = '/etc') => `
const fs = require('fs');
const tried = (path) => { try { fs.writeFileSync(path, ''); fs.unlinkSync(path); return true; } catch (error) { return error.code; } };
const [url] = process.argv.slice(1);
const seen = {
  node: process.versions.node,
  hasRunner: fs.existsSync('/opt/aizuchi/runner.mjs'),
  wrote: tried('trial'),
  isImageReadOnly: tried(${JSON.stringify(imageFolder)} + '/trial') !== true,
};
const say = (called) => console.log(JSON.stringify({ ...seen, called }));
if (url === undefined) say();
else fetch(url, { signal: AbortSignal.timeout(5000) }).then(({ status }) => say(status), (error) => say(error.cause?.code ?? error.name));
`;

/** Undefined: it is something else that was said. */
export function seenIn(words: string): Seen | undefined {
  try {
    return seenSchema.parse(JSON.parse(words));
  } catch {
    return undefined;
  }
}
