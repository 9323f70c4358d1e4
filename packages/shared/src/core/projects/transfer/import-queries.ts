import { sql } from 'kysely';
import type { Queryable } from '../../../platform/db/database.ts';

/* Rows of a new project, many in one statement: as JSON, whose keys are the columns. */

export interface AgentHere {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly isOwner: boolean;
}

export interface ImportedTask {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly status: string;
  readonly priority: string;
  readonly assignee_id: string | null;
  readonly labels: readonly string[];
  readonly due_date: string | null;
  readonly position: number;
  readonly created_by: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

interface OfTask {
  readonly task_id: string;
}
interface Recorded extends OfTask {
  readonly id: string;
  readonly created_at: string;
}
export type ImportedComment = Recorded & { readonly author_id: string | null; readonly body: string };
export type ImportedChange = Recorded & {
  readonly by_id: string | null;
  readonly field: string;
  readonly from_value: string | null;
  readonly to_value: string | null;
};
export type ImportedContext = Recorded & {
  readonly attempt: number | null;
  readonly agent_id: string | null;
  readonly body: string;
};
export type ImportedAttempt = OfTask & {
  readonly n: number;
  readonly agent_id: string;
  readonly started_at: string;
  readonly ended_at: string;
  readonly outcome: string;
  readonly summary: string | null;
};

/** As long as an import may take, instead of as long as other transactions may. */
export async function allowLongTransaction(db: Queryable, seconds: number): Promise<void> {
  // A limit that is set while one runs is ignored until that one is off.
  await sql`select set_config('transaction_timeout', '0', true)`.execute(db);
  await sql`select set_config('transaction_timeout', ${`${seconds}s`}, true)`.execute(db);
}

/** Live agents and people with one of these names. */
export async function agentsNamed(db: Queryable, names: readonly string[]): Promise<AgentHere[]> {
  const { rows } = await sql<AgentHere>`
    select id, name, type as kind, coalesce(access_level = 'owner', false) as is_owner
    from agents where deleted_at is null and name = any(${names}::text[]) order by id`.execute(db);
  return rows;
}

/** Without their parents: those may come later. `startedBy`: with whom the work that they are may speak. */
export async function insertTasks(
  db: Queryable,
  { projectId, startedBy }: { readonly projectId: string; readonly startedBy: string },
  tasks: readonly ImportedTask[],
): Promise<void> {
  await sql`insert into tasks (id, project_id, title, description, status, priority, assignee_id, labels, due_date,
      position, started_by, created_by, created_at, updated_at)
    select id, ${projectId}, title, description, status, priority, assignee_id, labels, due_date, position,
      case when status = 'in_progress' then ${startedBy} end, created_by, created_at, updated_at
    from jsonb_to_recordset(${JSON.stringify(tasks)}::jsonb) as r (id text, title text, description text, status text,
      priority text, assignee_id text, labels text[], due_date date, position double precision, created_by text,
      created_at timestamptz, updated_at timestamptz)`.execute(db);
}

export async function setParents(
  db: Queryable,
  edges: readonly { readonly id: string; readonly parent_id: string }[],
): Promise<void> {
  await sql`update tasks set parent_id = r.parent_id
    from jsonb_to_recordset(${JSON.stringify(edges)}::jsonb) as r (id text, parent_id text)
    where tasks.id = r.id`.execute(db);
}

export async function insertDependencies(
  db: Queryable,
  edges: readonly { readonly task_id: string; readonly depends_on_id: string }[],
): Promise<void> {
  await sql`insert into task_dependencies (task_id, depends_on_id)
    select task_id, depends_on_id
    from jsonb_to_recordset(${JSON.stringify(edges)}::jsonb) as r (task_id text, depends_on_id text)`.execute(
    db,
  );
}

export async function insertComments(db: Queryable, rows: readonly ImportedComment[]): Promise<void> {
  await sql`insert into task_comments (id, task_id, author_id, body, created_at)
    select id, task_id, author_id, body, created_at from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as r (id text, task_id text, author_id text, body text, created_at timestamptz)`.execute(db);
}

export async function insertChanges(db: Queryable, rows: readonly ImportedChange[]): Promise<void> {
  await sql`insert into task_history (id, task_id, by_id, field, from_value, to_value, created_at)
    select id, task_id, by_id, field, from_value, to_value, created_at
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r (id text, task_id text, by_id text, field text,
      from_value text, to_value text, created_at timestamptz)`.execute(db);
}

export async function insertContexts(db: Queryable, rows: readonly ImportedContext[]): Promise<void> {
  await sql`insert into task_contexts (id, task_id, attempt, agent_id, body, created_at)
    select id, task_id, attempt, agent_id, body, created_at
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r (id text, task_id text, attempt integer,
      agent_id text, body text, created_at timestamptz)`.execute(db);
}

export async function insertAttempts(db: Queryable, rows: readonly ImportedAttempt[]): Promise<void> {
  await sql`insert into task_attempts (task_id, n, agent_id, started_at, ended_at, outcome, summary)
    select task_id, n, agent_id, started_at, ended_at, outcome, summary
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r (task_id text, n integer, agent_id text,
      started_at timestamptz, ended_at timestamptz, outcome text, summary text)`.execute(db);
}
