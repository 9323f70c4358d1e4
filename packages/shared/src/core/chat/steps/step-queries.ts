import { sql } from 'kysely';
import { z } from 'zod';
import { STEP_KINDS, STEP_LIMITS, STEP_STATUSES, type Step } from '../../../contract/step.ts';
import type { Database, Queryable } from '../../../platform/db/database.ts';
import { PAGE_BYTES } from '../../../platform/db/page.ts';
import type { AgentCaller } from '../../access/agent-caller.ts';
import type { MembershipKey } from '../../rules/work-key.ts';
import type { ControlRow } from '../../sessions/control-queries.ts';
import { AT_CARD_SQL } from '../../sessions/session-work.ts';
import { THIS_HOUR } from '../quota/quota-queries.ts';
import { chatThreadId } from '../thread-id.ts';
import { IS_SEEN, SEEN_VERSION, statementOfSession } from './locked-session-queries.ts';

export interface ReportedStep {
  readonly messageId: string;
  readonly step: Step;
  /** The batch that the answer will name; undefined: the one that was given last. */
  readonly batchId: string | undefined;
  /** Until then the session counts as in its turn. */
  readonly busyUntil: Date;
  /** How many bytes the agent may write in an hour, 0: no limit (byte-quota.ts). */
  readonly quota: number;
}

/** What became of a report. The session is over when there is no row. */
export interface ReportRow extends ControlRow {
  isRecorded: boolean;
  /** Another answer has this id: a message, or what grows for another agent. */
  isTaken: boolean;
  /** The session has begun the answer anew under another id. */
  isDiscarded: boolean;
  /** The session holds unanswered messages of the batch, or works on its task. */
  isHeld: boolean;
  /** The agent has room for it in its quota. */
  hasRoom: boolean;
  /** Nothing was done: the session was changed meanwhile. */
  isStale: boolean;
}

/** Steps fill the quota of an agent up to this part of it: the rest is for its answers. */
const PART_FOR_STEPS = 2;

/**
 * Stores a step of the growing answer of a session, in one statement, see REPORT; one more when the session was changed
 * meanwhile.
 */
export function reportStep(
  database: Database,
  caller: AgentCaller,
  { messageId, step, batchId, busyUntil, quota }: ReportedStep,
): Promise<ReportRow | undefined> {
  const query = {
    name: 'report-step',
    text: REPORT,
    values: [
      caller.sessionId,
      messageId,
      caller.projectId,
      caller.agentId,
      batchId ?? null,
      step.id,
      step.kind,
      step.title,
      step.status,
      step.detail ?? null,
      step.diff?.path ?? null,
      step.diff?.before ?? null,
      step.diff?.after ?? null,
      step.cut?.includes('title') ?? false,
      step.cut?.includes('detail') ?? false,
      step.cut?.includes('diff') ?? false,
      busyUntil,
      chatThreadId(caller.projectId, caller.agentId),
      bytesOf(step),
      quota,
    ],
  };
  return statementOfSession<ReportRow>(database, caller, query, ({ isStale }) => isStale);
}

function bytesOf({ title, detail = '', diff }: Step): number {
  const texts = [title, detail, diff?.path ?? '', diff?.before ?? '', diff?.after ?? ''];
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

/** The attempt at the task of session `s` that is its own: that of its run, or the newest of its agent. */
const ATTEMPT_OF_SESSION = `(select a.n from task_attempts a
  where a.task_id = s.task_id and a.agent_id = s.agent_id and (s.run_id is null or a.run_id = s.run_id)
  order by a.n desc limit 1)`;

/**
 * The session is locked first, as it was read (locked-session-queries.ts): its end discards what grows (discardGrowth),
 * and a report that comes later finds it ended. What the session of a task reports while it holds no message is of its
 * turn at the task: it becomes no message, and replaces nothing. A growing answer belongs to the agent whose first report
 * named it; a later session of the agent may go on with it. A new one replaces what the session has let grow before,
 * except while a card is open, or the session has not heard what became of it: then one answer waits for a person, and
 * another one grows. What a later report of a step leaves out stays.
 */
const REPORT = `
  with seen as materialized (
    select s.id, s.task_id, ${ATTEMPT_OF_SESSION} as attempt, ${SEEN_VERSION} from agent_sessions s where s.id = $1 and s.state <> 'ended' and s.revoked_at is null
  ), session as (
    update agent_sessions s set last_seen_at = clock_timestamp(),
      beat_until = greatest(s.beat_until, $17::timestamptz)
    from seen where ${IS_SEEN}
    returning s.id, s.state, s.exit_action as "exitAction", s.exit_reason as "exitReason", s.control,
      s.control_offered as "controlOffered", s.control_acknowledged as "controlAcknowledged"
  ), given as materialized (
    select b.message_ids, t.conversation_id from delivery_batches b join chat_threads t on t.id = b.thread_id
    where b.session_id = $1 and ($5::text is null or b.id = $5)
    order by b.given_at desc limit 1
  ), batch as materialized (
    select given.conversation_id from given
    where exists (select from chat_messages m
      where m.delivered_session_id = $1 and m.state = 'delivered' and m.id = any(given.message_ids))
  ), held as materialized (
    select conversation_id, null as task_id, null::integer as attempt from batch
    union all
    select null, seen.task_id, seen.attempt from seen
    where seen.attempt is not null and $5::text is null and not exists (select from batch)
  ), before as materialized (
    select session_id, discarded_at, project_id = $3 and agent_id = $4 as is_own from growing_answers where message_id = $2
  ), room as materialized (
    select $20::bigint = 0 or coalesce((select case when t.said_hour >= ${THIS_HOUR} then t.said_bytes else 0 end
      from chat_threads t where t.id = $18), 0) + $19::bigint <= $20::bigint / ${PART_FOR_STEPS} as is_there
  ), facts as materialized (
    select exists (select from chat_messages where id = $2) or exists (select from before where not is_own) as is_taken,
      exists (select from before where session_id = $1 and discarded_at is not null) as is_discarded,
      not exists (select from before where session_id = $1) as begins,
      exists (select from message_steps where message_id = $2 and step_id = $6) as is_known
  ), answer as (
    insert into growing_answers as g (message_id, session_id, project_id, agent_id, conversation_id, task_id, attempt, step_count, began_at)
    select $2, $1, $3, $4, held.conversation_id, held.task_id, held.attempt, 1, clock_timestamp() from session, held, facts, room
    where not facts.is_taken and room.is_there and (facts.is_known or held.task_id is null
      -- An agent may name any number of turns.
      or (select coalesce(sum(g.step_count), 0) from growing_answers g
        where g.task_id = held.task_id and g.attempt = held.attempt) < ${STEP_LIMITS.stepsOfAttempt})
    on conflict (message_id) do update set session_id = $1, discarded_at = null,
      began_at = case when g.session_id = $1 then g.began_at else excluded.began_at end,
      conversation_id = case when g.session_id = $1 then g.conversation_id else excluded.conversation_id end,
      step_count = g.step_count + case when (select is_known from facts) then 0 else 1 end
    where g.project_id = $3 and g.agent_id = $4 and (g.discarded_at is null or g.session_id <> $1)
      and g.task_id is not distinct from excluded.task_id and g.attempt is not distinct from excluded.attempt
      and ((select is_known from facts)
        or g.step_count < case when g.task_id is null then ${STEP_LIMITS.steps} else ${STEP_LIMITS.stepsOfTurn} end)
    returning g.step_count, g.task_id
  ), step as (
    insert into message_steps as s (message_id, step_id, place, kind, title, status, detail, diff_path, diff_before,
      diff_after, title_cut, detail_cut, diff_cut)
    select $2, $6, answer.step_count, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16 from answer
    on conflict (message_id, step_id) do update set kind = excluded.kind, title = excluded.title,
      status = excluded.status, title_cut = excluded.title_cut, detail = coalesce(excluded.detail, s.detail),
      detail_cut = case when excluded.detail is null then s.detail_cut else excluded.detail_cut end,
      diff_path = coalesce(excluded.diff_path, s.diff_path),
      diff_before = coalesce(excluded.diff_before, s.diff_before),
      diff_after = coalesce(excluded.diff_after, s.diff_after),
      diff_cut = case when excluded.diff_path is null then s.diff_cut else excluded.diff_cut end
    returning s.step_id
  ), counted as (
    update chat_threads t set said_bytes = case when t.said_hour >= ${THIS_HOUR} then t.said_bytes else 0 end + $19::bigint,
      said_hour = greatest(t.said_hour, ${THIS_HOUR})
    from step where t.id = $18
  ), replaced as (
    update growing_answers g set discarded_at = clock_timestamp() from answer, facts
    where facts.begins and g.session_id = $1 and g.message_id <> $2 and g.discarded_at is null
      and answer.task_id is null and g.task_id is null
      and not exists (select from agent_sessions s where s.id = $1 and ${AT_CARD_SQL})
    returning g.message_id
  ), fact as (
    insert into change_log (project_id, kind, ref)
    select $3, 'step', jsonb_build_object('messageId', $2::text, 'stepId', $6::text) from answer
    union all
    select $3, 'discarded', jsonb_build_object('messageId', message_id, 'agentId', $4::text) from replaced
    union all
    -- Readers who come now learn from the session what grows.
    select $3, 'session', jsonb_build_object('agentId', $4::text) from answer, facts
    where facts.begins and answer.task_id is null
  )
  select session.*, exists (select from answer) as "isRecorded", facts.is_taken as "isTaken",
    facts.is_discarded as "isDiscarded", exists (select from held) as "isHeld", room.is_there as "hasRoom",
    session.id is null as "isStale"
  from seen left join session on true, facts, room`;

/** A stored step. */
interface StepRow {
  stepId: string;
  kind: string;
  title: string;
  status: string;
  detail: string | null;
  diffPath: string | null;
  diffBefore: string | null;
  diffAfter: string | null;
  titleCut: boolean;
  detailCut: boolean;
  diffCut: boolean;
}

const STEP_COLUMNS = sql.raw(`s.step_id, s.kind, s.title, s.status, s.title_cut, s.detail_cut, s.diff_cut`);
const TEXTS = ['detail', 'diff_path', 'diff_before', 'diff_after'] as const;

const kindSchema = z.enum(STEP_KINDS);
const statusSchema = z.enum(STEP_STATUSES);

function toStep(row: StepRow): Step {
  const cut = [
    row.titleCut ? (['title'] as const) : [],
    row.detailCut ? (['detail'] as const) : [],
    row.diffCut ? (['diff'] as const) : [],
  ].flat();
  return {
    id: row.stepId,
    kind: kindSchema.parse(row.kind),
    title: row.title,
    status: statusSchema.parse(row.status),
    ...(row.detail !== null && { detail: row.detail }),
    ...(row.diffPath !== null && {
      diff: { path: row.diffPath, before: row.diffBefore ?? '', after: row.diffAfter ?? '' },
    }),
    ...(cut.length > 0 && { cut }),
  };
}

/** One response holds this much of their texts; a single step always fits. */
const LIST_BYTES = 4 * PAGE_BYTES;

/**
 * The steps of one answer of this agent, or to it, in the order of their first reports: of a message as many as it
 * counts, of an answer that grows all; `stepId`: this one only. Those whose texts do not fit into LIST_BYTES come without
 * them, as cut. Undefined: there is no such answer, or it became none.
 */
export async function stepsOfAnswer(
  db: Queryable,
  { projectId, agentId, messageId, stepId }: AnswerName,
): Promise<Step[] | undefined> {
  const { rows } = await sql<(StepRow & { fits: boolean }) | { stepId: null }>`
    select ${STEP_COLUMNS}, s.fits, s.diff_path, ${sql.raw(textsThatFit())}
    from (
      select m.id, coalesce(m.steps, 0) as count from chat_messages m
      where m.id = ${messageId} and m.project_id = ${projectId}
        and ${agentId} in (m.agent_id, coalesce(m.peer_agent_id, m.agent_id))
      union all
      select g.message_id, ${STEP_LIMITS.steps}::int from growing_answers g
      where g.message_id = ${messageId} and g.project_id = ${projectId} and g.agent_id = ${agentId}
        and g.discarded_at is null and g.task_id is null and not exists (select from chat_messages m where m.id = g.message_id)
    ) answer
    left join lateral (
      select *, sum(${sql.raw(SIZE)}) over (order by n) <= ${LIST_BYTES} as fits from (
        select *, row_number() over (order by place, step_id) as n from message_steps where message_id = answer.id) s
      where n <= answer.count and (${stepId ?? null}::text is null or step_id = ${stepId ?? null})
    ) s on true
    order by s.n`.execute(db);
  if (rows.length === 0) return undefined;
  return rows.flatMap((row) => (row.stepId === null ? [] : toStep(row.fits ? row : withoutTexts(row))));
}

export interface AnswerName extends MembershipKey {
  readonly messageId: string;
  readonly stepId?: string | undefined;
}

const SIZE = TEXTS.map((text) => `coalesce(octet_length(s.${text}), 0)`).join(' + ');

function textsThatFit(): string {
  return ['detail', 'diff_before', 'diff_after']
    .map((text) => `case when s.fits then s.${text} when s.${text} is not null then '' end as ${text}`)
    .join(', ');
}

function withoutTexts(row: StepRow): StepRow {
  return {
    ...row,
    detailCut: row.detailCut || row.detail !== null,
    diffCut: row.diffCut || row.diffPath !== null,
  };
}

/** The steps of an attempt at a task, turn after turn, in the order of their first reports; texts as in stepsOfAnswer. */
export async function stepsOfAttempt(db: Queryable, attempt: AttemptName): Promise<Step[]> {
  const { rows } = await sql<StepRow & { fits: boolean }>`
    select ${STEP_COLUMNS}, s.fits, s.diff_path, ${sql.raw(textsThatFit())}
    from (
      select s.*, sum(${sql.raw(SIZE)}) over (order by s.n) <= ${LIST_BYTES} as fits from (
        select s.*, row_number() over (order by g.began_at, g.message_id, s.place, s.step_id) as n
        from growing_answers g join message_steps s on s.message_id = g.message_id
        where g.task_id = ${attempt.taskId} and g.attempt = ${attempt.n}) s
      order by s.n limit ${STEP_LIMITS.stepsOfAttempt}) s
    order by s.n`.execute(db);
  return rows.map((row) => toStep(row.fits ? row : withoutTexts(row)));
}

export interface AttemptName {
  readonly taskId: string;
  readonly n: number;
}

/** The number of steps that are kept of an attempt `task_attempts`; null: none. */
export const ATTEMPT_STEPS_SQL = `(select nullif(sum(g.step_count), 0)::integer from growing_answers g
  where g.task_id = task_attempts.task_id and g.attempt = task_attempts.n)`;

/** A step as the change log names it. */
export interface StepName {
  readonly messageId: string;
  readonly stepId: string;
}

export interface NamedStep extends StepName {
  readonly agentId: string;
  readonly conversationId: string | null;
  /** It is of a turn at a task, and of no answer. */
  readonly attempt: AttemptName | null;
  readonly step: Step;
}

/**
 * The first of these steps in their current state, and of how many they are: as many as fit into PAGE_BYTES. Steps of
 * discarded answers are left out.
 */
export async function firstSteps(
  db: Queryable,
  names: readonly StepName[],
): Promise<{ steps: NamedStep[]; asked: number }> {
  const texts = TEXTS.map((text) => `case when s.fits then s.${text} end as ${text}`);
  const { rows } = await sql<NamedStepRow>`
    select s.nth, s.fits, s.message_id, s.agent_id, s.conversation_id, s.attempt, ${STEP_COLUMNS}, ${sql.raw(texts.join(', '))}
    from (
      select s.*, wanted.nth::int as nth, coalesce(m.agent_id, g.agent_id) as agent_id,
        case when m.id is null then g.conversation_id else m.conversation_id end as conversation_id,
        case when m.id is null and g.task_id is not null
          then jsonb_build_object('taskId', g.task_id, 'n', g.attempt) end as attempt,
        row_number() over w = 1 or sum(${sql.raw(SIZE)}) over w <= ${PAGE_BYTES} as fits
      from unnest(${names.map(({ messageId }) => messageId)}::text[], ${names.map(({ stepId }) => stepId)}::text[])
        with ordinality as wanted (message_id, step_id, nth)
      join message_steps s on s.message_id = wanted.message_id and s.step_id = wanted.step_id
      left join chat_messages m on m.id = s.message_id
      left join growing_answers g on g.message_id = s.message_id and (g.discarded_at is null or g.task_id is not null)
      where m.id is not null or g.message_id is not null
      window w as (order by wanted.nth)
    ) s order by s.nth`.execute(db);
  const next = rows.find(({ fits }) => !fits);
  const steps = rows.filter(({ fits }) => fits).map((row) => ({ ...row, step: toStep(row) }));
  return { steps, asked: next === undefined ? names.length : next.nth - 1 };
}

interface NamedStepRow extends StepRow {
  /** From 1. */
  nth: number;
  fits: boolean;
  messageId: string;
  agentId: string;
  conversationId: string | null;
  attempt: AttemptName | null;
}
