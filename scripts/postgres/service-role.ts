import pg from 'pg';

/**
 * The role of the services on our own server: owns the database and has no other rights. Only the launcher uses the
 * superuser.
 */
export const serviceRole = 'aizuchi_services';

/**
 * Objects that an older version's services created as superuser become the role's. The sequence of a column follows
 * its table; objects of an extension stay with the extension.
 */
const TAKE_OVER = `do $$
declare one record;
begin
  for one in
    select format('alter table %s owner to ${serviceRole}', c.oid::regclass) as command
    from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'S', 'f')
      and c.relowner <> '${serviceRole}'::regrole
      and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid
        and d.deptype in ('a', 'i', 'e'))
    union all
    select format('alter routine %s owner to ${serviceRole}', p.oid::regprocedure)
    from pg_proc p
    where p.pronamespace = 'public'::regnamespace and p.proowner <> '${serviceRole}'::regrole
      and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid
        and d.deptype = 'e')
    union all
    select format('alter type %s owner to ${serviceRole}', t.oid::regtype)
    from pg_type t
    where t.typnamespace = 'public'::regnamespace and t.typowner <> '${serviceRole}'::regrole
      and t.typtype in ('d', 'e', 'r')
      and not exists (select from pg_depend d where d.classid = 'pg_type'::regclass and d.objid = t.oid
        and d.deptype = 'e')
  loop
    execute one.command;
  end loop;
end $$`;

/**
 * Creates or repairs the role and gives it the database that `client` is connected to as superuser; idempotent.
 * pg_stat_file is needed to tell a copied data folder from the previous one (log-epoch.ts); files outside the folder
 * stay closed to the role.
 */
export async function ensureServiceRole(
  client: pg.Client,
  database: string,
  password: string,
): Promise<void> {
  // Otherwise a statement that fails would be written to the server's log with the password.
  await client.query('set log_min_error_statement = panic');
  await client.query('begin');
  const { rowCount } = await client.query('select from pg_roles where rolname = $1', [serviceRole]);
  if (!rowCount) await client.query(`create role ${serviceRole}`);
  await client.query(
    `alter role ${serviceRole} login nosuperuser nocreatedb nocreaterole noreplication nobypassrls
       password ${pg.escapeLiteral(password)}`,
  );
  await client.query(`alter database ${pg.escapeIdentifier(database)} owner to ${serviceRole}`);
  await client.query('revoke connect, temporary on database postgres, template1 from public');
  await client.query(`grant execute on function pg_stat_file(text) to ${serviceRole}`);
  await client.query(TAKE_OVER);
  await client.query('commit');
}
