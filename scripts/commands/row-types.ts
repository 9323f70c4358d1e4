import { join } from 'node:path';
import { migrate } from '@aizuchi/shared/platform/db/migrate';
import { startThrowawayPostgres } from '../postgres/throwaway-postgres.ts';
import { runTool } from './steps.ts';

const file = join('packages', 'shared', 'src', 'platform', 'db', 'schema.ts');

/** Generates the row types from a freshly migrated database; `verify` only compares them with the file. */
export async function generateRowTypes(options: { verify: boolean }): Promise<boolean> {
  const postgres = await startThrowawayPostgres();
  try {
    await migrate(postgres.adminUrl);
    return await runTool(
      'kysely-codegen',
      [
        '--dialect=postgres',
        '--camel-case',
        `--out-file=${file}`,
        '--exclude-pattern=public.kysely_*',
        '--type-mapping={"int8":"number"}',
        '--log-level=warn',
        ...(options.verify ? ['--verify'] : []),
      ],
      // Passed as a variable: the url holds a password, and every account can read arguments.
      { DATABASE_URL: postgres.adminUrl },
    );
  } finally {
    await postgres.stop();
  }
}
