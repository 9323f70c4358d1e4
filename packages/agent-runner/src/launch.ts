import { createInterface } from 'node:readline';
import { type Launch, launchSchema } from '@aizuchi/shared/contract/launch';

/** A reason not to start, as one line for a person. */
export class LaunchError extends Error {
  override readonly name = 'LaunchError';
}

/** Reads the line that the Coordinator writes. Throws LaunchError, which names no value of the line. */
export async function readLaunch(stdin: NodeJS.ReadableStream): Promise<Launch> {
  const line = await firstLine(stdin);
  if (!line) throw new LaunchError('No launch line came on stdin: this program is started by a Coordinator.');
  const launch = launchSchema.safeParse(parseJson(line));
  if (launch.success) return launch.data;
  const fields = launch.error.issues.map(({ path }) => path.join('.') || 'the line');
  throw new LaunchError(`The launch line on stdin is not valid: ${fields.join(', ')}.`);
}

async function firstLine(stdin: NodeJS.ReadableStream): Promise<string> {
  const lines = createInterface({ input: stdin });
  for await (const line of lines) {
    lines.close();
    return line.trim();
  }
  return '';
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
