import { sep } from 'node:path';
import { sql } from 'kysely';
import type { Queryable } from '../../platform/db/database.ts';

/** The position of another project's folder: the same folder, around it, or inside it. */
export type Overlap = 'same' | 'around' | 'inside';

/**
 * The position of the folder of another live project to this one; undefined when no folder overlaps. Real
 * paths are compared. Only an answer under `ProjectQueries.lockDirectories` is reliable.
 */
export async function folderOverlap(
  db: Queryable,
  workingDirectory: string,
  exceptId?: string,
): Promise<Overlap | undefined> {
  const { rows } = await sql<{ overlap: Overlap }>`
    select case when working_directory = ${workingDirectory} then 'same'
      when starts_with(${workingDirectory}, working_directory || ${sep}) then 'around' else 'inside' end as overlap
    from projects
    where status <> 'archived' and deleted_at is null and id <> ${exceptId ?? ''}
      and (working_directory = ${workingDirectory}
        or starts_with(${workingDirectory}, working_directory || ${sep})
        or starts_with(working_directory, ${workingDirectory + sep}))
    order by working_directory <> ${workingDirectory}, id limit 1`.execute(db);
  return rows[0]?.overlap;
}
