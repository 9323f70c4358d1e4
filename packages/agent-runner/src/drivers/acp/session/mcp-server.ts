import type { McpServer } from '@agentclientprotocol/sdk';
import { workspaceAddress } from '@aizuchi/shared/contract/tools/workspace-tools';
import type { SessionOptions } from '../../../driver.ts';
import type { AgentPeer } from '../process/agent-peer.ts';

/** The name of our server, which is part of the names of its tools. */
const SERVER_NAME = 'aizuchi';
/** Holds the token for an agent that fills it in itself. */
export const TOKEN_VARIABLE = 'AIZUCHI_SESSION_TOKEN';

/** Our server, with the tools that a model needs, for an agent that can reach it. The token is in no argument. */
export function mcpServerFor(peer: AgentPeer, { mcp, log }: SessionOptions): McpServer[] {
  if (peer.capabilities.mcpCapabilities?.http !== true) {
    log('the agent does not connect to MCP servers over HTTP: it has no tools of Aizuchi');
    return [];
  }
  const token = peer.known.fillsInHeaders ? `\${${TOKEN_VARIABLE}}` : mcp.token;
  return [
    {
      type: 'http',
      name: SERVER_NAME,
      url: workspaceAddress(mcp.url),
      headers: [{ name: 'Authorization', value: `Bearer ${token}` }],
    },
  ];
}
