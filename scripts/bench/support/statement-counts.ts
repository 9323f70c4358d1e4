import pg from 'pg';

const MAX_STATEMENTS = 25;
const SHOWN_CHARACTERS = 150;

/** The statements that the database ran and how often, from pg_stat_statements, which is loaded for this. */
export class StatementCounts {
  /** Settings of the server that is measured. */
  static readonly SETTINGS = {
    shared_preload_libraries: 'pg_stat_statements',
    'pg_stat_statements.track_planning': 'on',
  };
  readonly #client: pg.Client;

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  /** @throws when the server was not started with the module. */
  static async open(url: string): Promise<StatementCounts> {
    const client = new pg.Client({ connectionString: url, application_name: 'bench-statements' });
    await client.connect();
    await client.query('create extension if not exists pg_stat_statements');
    return new StatementCounts(client);
  }

  async reset(): Promise<void> {
    await this.#client.query('select pg_stat_statements_reset()');
  }

  /** One line for each of the statements that cost most, with the number of calls per second. */
  async most(seconds: number): Promise<string[]> {
    const { rows } = await this.#client.query<{ calls: number; ms: number; query: string }>(
      `select calls::float8 as calls, total_exec_time + total_plan_time as ms, query from pg_stat_statements
       order by ms desc limit $1`,
      [MAX_STATEMENTS],
    );
    return rows.map(({ calls, ms, query }) => {
      const text = query.replace(/\s+/g, ' ').slice(0, SHOWN_CHARACTERS);
      return `${(calls / seconds).toFixed(2).padStart(7)} /s ${(ms / seconds / 10).toFixed(3).padStart(7)} %  ${text}`;
    });
  }

  async close(): Promise<void> {
    await this.#client.end();
  }
}
