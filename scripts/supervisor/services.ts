import { fileURLToPath } from 'node:url';
import type { VariableName } from '@aizuchi/shared/platform/config/env';
import type { Secrets } from '@aizuchi/shared/platform/config/secrets';

/** A process that the supervisor starts, watches and restarts. To add a service, add an entry below. */
export interface ServiceDefinition {
  name: string;
  /** The file that node runs; made by scripts/bootstrap/bundle.mjs. */
  entry: string;
  /** Options of node itself. */
  nodeArguments?: readonly string[];
  portVariable: VariableName;
  defaultPort: number;
  needsDatabase: boolean;
  /** It passes the keys of model providers on to agents. */
  startsAgents?: true;
  /** It asks the models of LLM_* and EMBEDDING_*. */
  asksModels?: true;
  /** It is told whether there is a model (LLM_MODEL), and asks none. */
  knowsModel?: true;
  /** The services that must serve first, if they are part of this start. Their urls are passed to this one. */
  after: readonly string[];
  /**
   * Services that it calls and can do without. Their urls are passed as well; it waits only for one whose port the
   * system chooses.
   */
  knows?: readonly string[];
  /** The variable in which later services get its url. */
  urlVariable?: VariableName;
  urlPath?: string;
  /** The secrets that it needs, by the variable that it reads. */
  secrets: Partial<Record<VariableName, keyof Secrets>>;
  /** Variables that must be set if the service that would provide them is not part of this start. */
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
    asksModels: true,
    after: ['mcp-server'],
    knows: ['memory'],
    secrets: { AIZUCHI_INTERNAL_TOKEN: 'internalToken' },
    requires: [],
  },
  {
    name: 'mcp-server',
    entry: entryOf('mcp-server'),
    // With the default young generation, thousands of held calls use twice their memory for garbage that is not
    // collected yet.
    nodeArguments: ['--max-semi-space-size=8'],
    portVariable: 'MCP_PORT',
    defaultPort: 4101,
    needsDatabase: true,
    knowsModel: true,
    after: [],
    knows: ['memory'],
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
    startsAgents: true,
    after: ['mcp-server'],
    secrets: { MCP_COORDINATOR_TOKEN: 'coordinatorToken' },
    requires: [
      { variable: 'AIZUCHI_MCP_URL', givenBy: 'mcp-server' },
      { variable: 'MCP_COORDINATOR_TOKEN', givenBy: 'mcp-server' },
    ],
  },
  {
    name: 'memory',
    entry: entryOf('memory'),
    portVariable: 'MEMORY_PORT',
    defaultPort: 4103,
    needsDatabase: true,
    asksModels: true,
    after: [],
    urlVariable: 'AIZUCHI_MEMORY_URL',
    secrets: { AIZUCHI_INTERNAL_TOKEN: 'internalToken' },
    requires: [],
  },
];

function entryOf(name: string): string {
  return fileURLToPath(new URL(`../../dist/${name}.js`, import.meta.url));
}
