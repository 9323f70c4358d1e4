import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ConnectedAgent } from './connected.ts';
import { readGiven } from './given.ts';
import type { Place } from './place.ts';
import { runProgram } from './program.ts';

const program = fileURLToPath(new URL('thirty-lines.mjs', import.meta.url));

/** Starts thirty-lines.mjs as a person starts it in a terminal. */
export async function startHandWritten(place: Place): Promise<ConnectedAgent> {
  const file = join(place.folder, 'given.jsonl');
  const child = runProgram(process.execPath, [program], {
    cwd: place.folder,
    env: {
      AIZUCHI_MCP_URL: place.mcpUrl,
      AGENT_ID: place.membership.agentId,
      PASSKEY: place.passkey,
      PROJECT_ID: place.membership.projectId,
    },
  });
  return { ...child, given: () => readGiven(file) };
}
