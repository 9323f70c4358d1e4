import { mkdir } from 'node:fs/promises';
import { SessionQueries } from '@aizuchi/shared/core/sessions/session-queries';
import { type Database, openDatabase } from '@aizuchi/shared/platform/db/database';
import { migrate } from '@aizuchi/shared/platform/db/migrate';
import { newId, newSecret } from '@aizuchi/shared/platform/ids';
import { hashToken } from '@aizuchi/shared/platform/token-hash';
import { type RunningProduct, startProduct } from '../../commands/product.ts';
import { startThrowawayPostgres } from '../../postgres/throwaway-postgres.ts';

export interface WarmAgent {
  readonly projectId: string;
  readonly agentId: string;
  readonly sessionToken: string;
}

/** The product's processes on a durable Postgres of their own, with agents whose sessions are live. */
export interface BenchWorld {
  readonly databaseUrl: string;
  readonly webUrl: string;
  readonly mcpUrl: string;
  /** A bearer of the owner. A start of the product revokes it. */
  readonly ownerToken: string;
  /** Returns a new bearer of the owner. */
  signIn(): Promise<string>;
  readonly product: RunningProduct;
  readonly database: Database;
  warmAgents(count: number, perProject: number): Promise<WarmAgent[]>;
  close(): Promise<void>;
}

/** Without a Coordinator: the agents are clients of the benchmark. `more` is environment of the product. */
export async function openBenchWorld(
  services = 'rest-api,mcp-server',
  rateLimitPerMinute = 0,
  postgresSettings: Readonly<Record<string, string>> = {},
  more: Readonly<Record<string, string>> = {},
): Promise<BenchWorld> {
  const postgres = await startThrowawayPostgres({ durable: true, settings: postgresSettings });
  const database = openDatabase({ url: postgres.adminUrl, maxConnections: 4 });
  await migrate(postgres.adminUrl);
  const product = await startProduct({
    DATABASE_URL: postgres.adminUrl,
    AIZUCHI_SERVICES: services,
    RATE_LIMIT_PER_MINUTE: String(rateLimitPerMinute),
    ...more,
  });
  const environment = product.environment;
  const webUrl = environment.AIZUCHI_WEB_URL ?? '';
  const signIn = () => login(webUrl, environment.AIZUCHI_OWNER_PASSKEY ?? '');
  return {
    databaseUrl: postgres.adminUrl,
    webUrl,
    mcpUrl: environment.AIZUCHI_MCP_URL ?? '',
    ownerToken: await signIn(),
    signIn,
    product,
    database,
    warmAgents: (count, perProject) =>
      warmAgents(database, environment.AIZUCHI_WORKSPACE_ROOTS ?? '', count, perProject),
    async close() {
      await product.stop();
      await database.close();
      await postgres.stop();
    },
  };
}

async function login(webUrl: string, passkey: string): Promise<string> {
  const response = await fetch(`${webUrl}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ agentId: 'owner', passkey }),
  });
  const body: unknown = await response.json();
  if (typeof body !== 'object' || body === null || !('token' in body) || typeof body.token !== 'string')
    throw new Error(`login failed: ${response.status} ${JSON.stringify(body)}`);
  return body.token;
}

/** Written directly into the tables: thousands of sign-ins by passkey would measure scrypt. */
async function warmAgents(
  database: Database,
  root: string,
  count: number,
  perProject: number,
): Promise<WarmAgent[]> {
  const agents: WarmAgent[] = [];
  const now = new Date();
  for (let index = 0; index < count; index += perProject) {
    const projectId = newId('prj');
    const size = Math.min(perProject, count - index);
    await mkdir(`${root}/${projectId}`, { recursive: true });
    await database.transaction(async ({ db }) => {
      await db
        .insertInto('projects')
        .values({ id: projectId, name: 'Bench', workingDirectory: `${root}/${projectId}` })
        .execute();
      const members = Array.from({ length: size }, () => ({
        agentId: newId('agt'),
        token: newSecret(),
        sessionId: newId('ses'),
      }));
      await db
        .insertInto('agents')
        .values(
          members.map((one) => ({ id: one.agentId, type: 'ai', name: 'Bench agent', provider: 'builtin' })),
        )
        .execute();
      await db
        .insertInto('projectAgents')
        .values(members.map(({ agentId }) => ({ projectId, agentId })))
        .execute();
      await db
        .insertInto('chatThreads')
        .values(members.map(({ agentId }) => ({ id: `${projectId}/${agentId}`, projectId, agentId })))
        .execute();
      const sessions = new SessionQueries(db);
      for (const one of members) {
        await sessions.insert({
          id: one.sessionId,
          agentId: one.agentId,
          projectId,
          purpose: 'chat',
          taskId: '',
          tokenHash: hashToken(one.token),
          runId: null,
          openedBy: null,
          now,
        });
        agents.push({ projectId, agentId: one.agentId, sessionToken: one.token });
      }
    });
  }
  return agents;
}
