import { sql } from 'kysely';
import type { InboxItem } from '../contract/inbox.ts';
import { INBOX_KINDS } from '../contract/inbox.ts';
import type { Queryable } from '../db/database.ts';
import { inboxTexts } from '../texts/inbox-texts.ts';
import type { ServiceDeps } from './deps.ts';
import type { Person } from './person.ts';

interface InboxRow {
  kind: string;
  projectId: string;
  agentId: string | null;
  refId: string;
  createdAt: Date;
  /** Its own words: a question, a message, a task's title. */
  words: string | null;
  name: string | null;
  cause: string | null;
  count: number | null;
}

const MAX_ITEMS = 200;
const TITLE_MAX = 140;
/** A run that failed longer ago and was never followed by another one waits for nobody any more. */
const FAILED_RUN_DAYS = 7;

/** What waits for a person, over all his projects. Read from the things themselves: nothing is kept twice. */
export class InboxService {
  readonly #deps: Pick<ServiceDeps, 'database' | 'config' | 'clock'>;

  constructor(deps: Pick<ServiceDeps, 'database' | 'config' | 'clock'>) {
    this.#deps = deps;
  }

  /** The longest waiting first. A viewer acts on nothing, so only what he has not read waits for him. */
  async list(person: Person): Promise<{ items: InboxItem[] }> {
    const rows = await this.#read(this.#deps.database.db, person);
    return { items: rows.map((row) => this.#item(row)) };
  }

  #item(row: InboxRow): InboxItem {
    const kind = INBOX_KINDS.find((one) => one === row.kind);
    if (!kind) throw new Error(`no kind of item: ${row.kind}`);
    return {
      kind,
      projectId: row.projectId,
      ...(row.agentId !== null && { agentId: row.agentId }),
      refId: row.refId,
      createdAt: row.createdAt.toISOString(),
      title: this.#title(row),
    };
  }

  #title({ kind, words, name, cause, count, refId }: InboxRow): string {
    const texts = inboxTexts(this.#deps.config.locale);
    if (kind === 'failed_run') return texts.failedRun(name ?? refId, cause ?? '');
    if (kind === 'unread') return texts.unread(name ?? refId, count ?? 1);
    return oneLine(words ?? refId);
  }

  async #read(db: Queryable, person: Person): Promise<InboxRow[]> {
    const isOwner = person.accessLevel === 'owner';
    const acts = person.accessLevel !== 'viewer';
    const failedSince = new Date(this.#deps.clock.now().getTime() - FAILED_RUN_DAYS * 86_400_000);
    const { rows } = await sql<InboxRow>`
      with mine as (
        select p.id from projects p where p.deleted_at is null and p.status <> 'archived'
          and (${isOwner} or exists (select from project_agents me where me.project_id = p.id and me.agent_id = ${person.id}))
      ), members as (
        select pa.project_id, pa.agent_id, a.name from project_agents pa join mine on mine.id = pa.project_id
        join agents a on a.id = pa.agent_id and a.type = 'ai' and a.deleted_at is null
      ), items as (
        select 'question' as kind, q.project_id, q.agent_id, q.tool_use_id as ref_id, q.shown_at as created_at,
          q.questions -> 0 ->> 'question' as words, null as name, null as cause, null::int as count
        from user_questions q join mine on mine.id = q.project_id
        where ${acts} and q.state = 'pending' and q.shown_at is not null
        union all
        -- Until it is sent again, or its writer has said something newer there.
        select 'failed_message', m.project_id, m.agent_id, m.id, m.failed_at, m.content, null, null, null
        from chat_messages m join mine on mine.id = m.project_id
        where ${acts} and m.state = 'failed' and m.human_id = ${person.id} and m.sender = 'user' and not exists (
          select from chat_messages n where n.thread_id = m.thread_id and n.seq > m.seq
            and n.human_id = m.human_id and n.state <> 'failed')
        union all
        -- The last run of an agent, until there is a newer one.
        select 'failed_run', r.project_id, r.agent_id, r.id, r.ended_at, null, members.name, r.exit_cause, null
        from members cross join lateral (
          select id, project_id, agent_id, ended_at, exit_cause from agent_runs r
          where r.agent_id = members.agent_id and r.project_id = members.project_id
          order by r.started_at desc limit 1) r
        where ${acts} and r.exit_cause in ('crashed', 'could_not_start', 'stalled', 'lost') and r.ended_at > ${failedSince}
        union all
        select 'blocked_task', t.project_id, t.assignee_id, t.id, t.updated_at, t.title, null, null, null
        from tasks t join mine on mine.id = t.project_id
        where ${acts} and t.status = 'blocked' and t.deleted_at is null
        union all
        select 'unread', members.project_id, members.agent_id, members.agent_id, news.since, null, members.name, null,
          news.count
        from members
        join chat_threads t on t.project_id = members.project_id and t.agent_id = members.agent_id
          and t.conversation_id is null
        left join read_marks mark on mark.thread_id = t.id and mark.human_id = ${person.id}
        cross join lateral (
          select count(*)::int as count, min(m.created_at) as since from chat_messages m
          where m.thread_id = t.id and m.visible and m.sender <> 'user' and m.seq > coalesce(mark.last_seq, 0)) news
        where news.count > 0
      )
      select * from items order by created_at, ref_id limit ${MAX_ITEMS}`.execute(db);
    return rows;
  }
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const characters = [...line];
  return characters.length <= TITLE_MAX ? line : `${characters.slice(0, TITLE_MAX - 1).join('')}…`;
}
