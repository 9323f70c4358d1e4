import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import { FakeOpenAi } from '../../../../tests/fixtures/fake-openai.ts';
import { type NewEvent, type NewState, storeEvents, storeState } from '../../src/core/memory/memory-store.ts';
import { EmbeddingWorker } from '../../src/core/memory/vectors/embedding-worker.ts';
import { PgvectorCopy, type PgvectorCopyOptions } from '../../src/core/memory/vectors/pgvector-copy.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { type Database, openDatabase } from '../../src/platform/db/database.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { createLogger } from '../../src/platform/logger.ts';
import type { Embedder } from '../../src/platform/models/model-ports.ts';
import { openModels } from '../../src/platform/models/models.ts';
import { LONG_TIMEOUT_MS } from '../../src/testing/timeouts.ts';

const AT = new Date('2026-05-08T10:00:00Z');
const AGENT = `insert into agents (id, type, name, provider) values ($1, 'ai', $1, 'builtin')`;
const PROJECT = `insert into projects (id, name, working_directory) values ($1, $1, '/tmp/' || $1)`;

/** A migrated database that has pgvector, in this process: it has one session, whoever connects. */
export class PgvectorWorld {
  readonly database: Database;
  readonly server: FakeOpenAi;
  readonly logger = createLogger('test', { level: 'silent' });
  readonly #postgres: PGlite;
  readonly #socket: PGLiteSocketServer;
  #agents = 0;

  private constructor(parts: {
    database: Database;
    server: FakeOpenAi;
    postgres: PGlite;
    socket: PGLiteSocketServer;
  }) {
    this.database = parts.database;
    this.server = parts.server;
    this.#postgres = parts.postgres;
    this.#socket = parts.socket;
  }

  static async create(): Promise<PgvectorWorld> {
    const postgres = await PGlite.create({ extensions: { vector } });
    const socket = new PGLiteSocketServer({ db: postgres, port: 0, maxConnections: 4 });
    await socket.start();
    const url = `postgres://postgres:postgres@${socket.getServerConn()}/postgres`;
    await migrate(url);
    const database = openDatabase({ url, maxConnections: 1, transactionTimeoutMs: LONG_TIMEOUT_MS });
    const server = await FakeOpenAi.start(() => ({ status: 500 }));
    return new PgvectorWorld({ database, server, postgres, socket });
  }

  /** As before the first start: no memory, no table and no extension. */
  async reset(): Promise<void> {
    for (const statement of [
      'drop table if exists memory_pgvector_1',
      'drop extension if exists vector cascade',
      'delete from memory_embedding',
      'delete from memory_events',
      'delete from memory_states',
    ])
      await this.database.pool.query(statement);
    this.server.embedding = (texts) => texts.map((text) => randomVector(text));
  }

  async agent(): Promise<string> {
    this.#agents += 1;
    const id = `agt_${this.#agents}`;
    await this.database.pool.query(AGENT, [id]);
    return id;
  }

  async project(): Promise<string> {
    this.#agents += 1;
    const id = `prj_${this.#agents}`;
    await this.database.pool.query(PROJECT, [id]);
    return id;
  }

  async events(agentId: string, events: readonly Partial<NewEvent>[]): Promise<string[]> {
    const given = { projectId: null, clientId: 'client', threadId: 'thread', createdAt: AT };
    const { stored } = await this.database.transaction((tx) =>
      storeEvents(
        tx,
        agentId,
        events.map((event) => ({ ...given, source: 'chat', assistantState: 'complete', ...event })),
      ),
    );
    return stored;
  }

  state(agentId: string, state: Partial<NewState>): Promise<string> {
    return this.database.transaction((tx) =>
      storeState(tx, agentId, {
        projectId: null,
        kind: 'fact',
        bodyText: 'something',
        at: AT,
        evidence: [],
        reason: 'said so',
        madeBy: 'rules',
        ...state,
      }),
    );
  }

  /** Embeds what is not embedded. */
  async embed(model = 'model-a'): Promise<void> {
    const { database, logger } = this;
    const embedder = this.embedder(model);
    await new EmbeddingWorker({ database, logger, model, embedder, clock: systemClock }).runOnce();
  }

  embedder(model: string): Embedder {
    const { embedder } = openModels({ embedding: { baseUrl: this.server.baseUrl, model, apiKey: 'key' } });
    if (!embedder) throw new Error('not configured');
    return embedder;
  }

  copy(options: Partial<PgvectorCopyOptions> = {}): PgvectorCopy {
    return new PgvectorCopy({ database: this.database, logger: this.logger, ...options });
  }

  async count(what: string): Promise<number> {
    const { rows } = await this.database.pool.query<{ count: number }>(`select count(*)::int from ${what}`);
    return rows[0]?.count ?? 0;
  }

  async close(): Promise<void> {
    await this.server.close();
    await this.database.close();
    await this.#socket.stop();
    await this.#postgres.close();
  }
}

const DIMENSIONS = 32;

/** The same for the same text, and like that of no other one. */
export function randomVector(text: string, dimensions = DIMENSIONS): number[] {
  let state = 7;
  for (const character of text) state = (state * 31 + (character.codePointAt(0) ?? 0)) % 2_147_483_647;
  return Array.from({ length: dimensions }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647 - 0.5;
  });
}
