import { createInterface } from 'node:readline';

/** What the Coordinator gives: addresses and ids in the environment, the ticket on stdin, which no other process can read. */
export interface Launch {
  readonly mcpUrl: string;
  readonly runId: string;
  readonly agentId: string;
  readonly projectId: string;
  /** What the agent was started for. */
  readonly purpose: string;
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
  const {
    AIZUCHI_RUN_ID: runId = '',
    AIZUCHI_AGENT_ID: agentId = '',
    AIZUCHI_PROJECT_ID: projectId = '',
    AIZUCHI_PURPOSE: purpose = 'chat',
  } = env;
  return { mcpUrl, runId, agentId, projectId, purpose, ticket };
}

async function firstLine(stdin: NodeJS.ReadableStream): Promise<string> {
  const lines = createInterface({ input: stdin });
  for await (const line of lines) {
    lines.close();
    return line.trim();
  }
  return '';
}
