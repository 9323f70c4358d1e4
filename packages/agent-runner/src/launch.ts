import { createInterface } from 'node:readline';

/** What the Coordinator gave us: addresses by environment, the ticket on stdin, where nobody else can read it. */
export interface Launch {
  readonly mcpUrl: string;
  readonly runId: string;
  readonly agentId: string;
  readonly ticket: string;
}

/** A reason not to start, as one line for a person. */
export class LaunchError extends Error {
  override readonly name = 'LaunchError';
}

export async function readLaunch(
  env: Readonly<Record<string, string | undefined>>,
  stdin: NodeJS.ReadableStream,
): Promise<Launch> {
  const mcpUrl = env.AIZUCHI_MCP_URL;
  if (!mcpUrl) throw new LaunchError('AIZUCHI_MCP_URL is not set: this program is started by a Coordinator.');
  const ticket = await firstLine(stdin);
  if (!ticket) throw new LaunchError('No launch ticket came on stdin.');
  return { mcpUrl, runId: env.AIZUCHI_RUN_ID ?? '', agentId: env.AIZUCHI_AGENT_ID ?? '', ticket };
}

async function firstLine(stdin: NodeJS.ReadableStream): Promise<string> {
  const lines = createInterface({ input: stdin });
  for await (const line of lines) {
    lines.close();
    return line.trim();
  }
  return '';
}
