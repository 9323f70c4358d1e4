import { fileURLToPath } from 'node:url';
import type { VariableName } from '@aizuchi/shared/platform/config/env';
import type { Secrets } from '@aizuchi/shared/platform/config/secrets';

/** A process that the supervisor starts, watches and restarts. A new service is a new line below. */
export interface ServiceDefinition {
  name: string;
  /** The file that node runs; scripts/bootstrap/bundle.mjs makes it. */
  entry: string;
  /** Options of node itself. */
  nodeArguments?: readonly string[];
  portVariable: VariableName;
  defaultPort: number;
  needsDatabase: boolean;
  /** Started once these serve, as far as they are part of this start: it is given their urls. */
  after: readonly string[];
  /** How its url is told to the services after it. */
  urlVariable?: VariableName;
  urlPath?: string;
  /** The secrets that it is given, by the variable it reads them from. */
  secrets: Partial<Record<VariableName, keyof Secrets>>;
  /** Variables without which it cannot start when the service that would give them is not part of this start. */
  requires: readonly { variable: VariableName; givenBy: string }[];
}

export const webService = 'rest-api';

export const services: readonly ServiceDefinition[] = [
  {
    name: webService,
    entry: entryOf('rest-api'),
    portVariable: 'REST_PORT',
    defaultPort: 4100,
    needsDatabase: true,
    after: ['mcp-server'],
    secrets: { AIZUCHI_INTERNAL_TOKEN: 'internalToken' },
    requires: [],
  },
  {
    name: 'mcp-server',
    entry: entryOf('mcp-server'),
    // With the default young generation, thousands of held calls cost twice their memory in garbage not yet collected.
    nodeArguments: ['--max-semi-space-size=8'],
    portVariable: 'MCP_PORT',
    defaultPort: 4101,
    needsDatabase: true,
    after: [],
    urlVariable: 'AIZUCHI_MCP_URL',
    urlPath: '/mcp',
    secrets: { AIZUCHI_INTERNAL_TOKEN: 'internalToken', MCP_COORDINATOR_TOKEN: 'coordinatorToken' },
    requires: [],
  },
  {
    name: 'coordinator',
    entry: entryOf('coordinator'),
    portVariable: 'COORDINATOR_PORT',
    defaultPort: 4102,
    needsDatabase: false,
    after: ['mcp-server'],
    secrets: { MCP_COORDINATOR_TOKEN: 'coordinatorToken' },
    requires: [
      { variable: 'AIZUCHI_MCP_URL', givenBy: 'mcp-server' },
      { variable: 'MCP_COORDINATOR_TOKEN', givenBy: 'mcp-server' },
    ],
  },
];

function entryOf(name: string): string {
  return fileURLToPath(new URL(`../../dist/${name}.js`, import.meta.url));
}
