/** What holds in every state of the database, numbered; each row is a violation in words. */
export const INVARIANTS = {
  'I-1 a thread has no gap and no double': `
    select t.id || ' counts ' || t.last_seq || ', has ' || count(m.id) || ' up to ' || coalesce(max(m.seq), 0) as violation
    from chat_threads t left join chat_messages m on m.thread_id = t.id
    group by t.id, t.last_seq
    having t.last_seq <> count(m.id) or t.last_seq <> coalesce(max(m.seq), 0)`,
  'what people may have to read is counted': `
    select t.id || ' counts ' || t.news_count || ', has ' || count(m.id) as violation
    from chat_threads t left join chat_messages m on m.thread_id = t.id and m.visible and m.sender <> 'user'
      and m.conversation_id is null
    group by t.id, t.news_count having t.news_count <> count(m.id)`,
  'what a person has read is counted up to his mark': `
    select r.human_id || ' in ' || r.thread_id || ' counts ' || r.news_count || ', has ' || count(m.id) as violation
    from read_marks r left join chat_messages m on m.thread_id = r.thread_id and m.seq <= r.last_seq
      and m.visible and m.sender <> 'user'
    group by r.human_id, r.thread_id, r.news_count having r.news_count <> count(m.id)`,
  'I-2 delivered and unanswered, so its session lives': `
    select m.id || ' is ' || m.state || ' with session ' || coalesce(s.id || ' ' || s.state, 'none') as violation
    from chat_messages m left join agent_sessions s on s.id = m.delivered_session_id
    where (m.state = 'delivered' and (s.id is null or s.state = 'ended' or s.agent_id <> m.deliver_to))
      or (m.state = 'stored' and m.delivered_session_id is not null)`,
  'I-11 answered: it was in the batch that its answer named': `
    select m.id || ' is answered, its batch is ' || coalesce(m.batch_id, 'none') as violation
    from chat_messages m left join delivery_batches b on b.id = m.batch_id
    where m.state = 'answered' and (not m.id = any(b.message_ids)
      -- What the end of a conversation carried was read there, in no batch.
      or (m.batch_id is null and not (m.conversation_id is not null and m.no_reply)))`,
  'I-11 what a session holds can be fetched again': `
    select m.id as violation from chat_messages m left join delivery_batches b on b.id = m.batch_id
    where m.state = 'delivered' and (b.session_id is distinct from m.delivered_session_id or not m.id = any(b.message_ids))`,
  'a message says what became of it': `
    select m.id || ' is ' || m.state as violation from chat_messages m
    where (m.state = 'answered') <> (m.answered_at is not null)
      or (m.state = 'failed') <> (m.failure is not null)
      or (m.state <> 'stored' and m.deliver_to is null)`,
  'I-3 one live session per key': `
    select agent_id || ' in ' || project_id || ' has ' || count(*) as violation from agent_sessions
    where state = 'active' or (state = 'terminating' and exit_acknowledged_at is null)
    group by agent_id, project_id, purpose, task_id having count(*) > 1`,
  'I-4 an end has its reason, and what lives has none': `
    select s.id || ' is ' || s.state || ' (' || coalesce(s.exit_reason, 'no reason') || ')' as violation
    from agent_sessions s
    where (s.state = 'active' and (s.exit_action is not null or s.exit_acknowledged_at is not null or s.terminating_at is not null))
      or (s.state = 'terminating' and (s.exit_action is null or s.exit_reason is null or s.terminating_at is null))
      or (s.state = 'ended') <> (s.ended_at is not null)
      or (s.exit_acknowledged_at is not null and s.exit_action is null)`,
  'I-4 nobody can use the ticket of an ended session': `
    select t.run_id as violation from launch_tickets t join agent_sessions s on s.id = t.session_id
    where s.state = 'ended' and t.revoked_at is null`,
  'I-2 a live conversation is held by sessions that live': `
    select c.id || ' is ' || c.state || ' with session ' || s.id as violation
    from conversations c join agent_sessions s on s.id in (c.initiator_session_id, c.participant_session_id)
    where c.state in ('pending', 'active') and s.state = 'ended'`,
  'I-3 one live conversation per pair of agents': `
    select min(id) || ' and ' || max(id) as violation from conversations where state in ('pending', 'active')
    group by project_id, least(initiator_agent_id, participant_agent_id),
      greatest(initiator_agent_id, participant_agent_id) having count(*) > 1`,
  'I-4 an ended conversation has its reason, and who must hear of it has heard or is gone': `
    select c.id || ' is ' || c.state || ' (' || coalesce(c.end_reason, 'no reason') || ')' as violation
    from conversations c
    where (c.state in ('pending', 'active')) <> (c.ended_at is null)
      or (c.ended_at is null) <> (c.end_reason is null)
      or (c.state = 'ended' and exists (select from conversation_notices n
        where n.conversation_id = c.id and n.kind = 'ended' and n.acknowledged_at is null and n.gone_at is null)
        -- One that never began is over at once; its initiator hears it all the same.
        and exists (select from conversation_notices n
          where n.conversation_id = c.id and n.agent_id = c.participant_agent_id))`,
  'I-4 nothing of a conversation that is over waits to be fetched': `
    select m.id || ' is ' || m.state as violation from chat_messages m join conversations c on c.id = m.conversation_id
    where c.state not in ('pending', 'active')
      and (m.state = 'delivered' or (m.state = 'stored' and m.deliver_to is not null))`,
  'I-5 a message stands in the thread of its conversation': `
    select m.id as violation from chat_messages m join chat_threads t on t.id = m.thread_id
    where m.conversation_id is distinct from t.conversation_id`,
  'I-6 a started wake-up has its run, a waiting one has none': `
    select p.agent_id || ' in ' || p.project_id || ' run ' || coalesce(r.id || ' ' || r.state, 'none') as violation
    from pending_agent_purposes p left join agent_runs r on r.id = p.run_id
    where (p.started_at is null) <> (p.run_id is null)
      or (p.run_id is not null and (r.id is null or (r.state = 'exited' and r.sign_in_refused_at is null)))`,
  'I-6 a run that has not signed in has a wake-up, or is told to stop': `
    select r.id as violation from agent_runs r
    where r.state = 'starting' and r.stop_requested_at is null
      and not exists (select from pending_agent_purposes p where p.run_id = r.id)`,
  'I-6 a run is for the work of its wake-up and of its sessions': `
    select r.id || ' is for ' || r.purpose || ' ' || r.task_id || ', not for ' || w.purpose || ' ' || w.task_id as violation
    from agent_runs r join (
      select run_id, agent_id, project_id, purpose, task_id from pending_agent_purposes
      union all select run_id, agent_id, project_id, purpose, task_id from agent_sessions) w on w.run_id = r.id
    where (w.agent_id, w.project_id, w.purpose, w.task_id) <> (r.agent_id, r.project_id, r.purpose, r.task_id)`,
  'a task has one process at work': `
    select r.task_id || ' has ' || count(*) as violation from agent_runs r
    where r.purpose = 'task' and r.state <> 'exited' and r.stop_requested_at is null
    group by r.agent_id, r.project_id, r.task_id having count(*) > 1
      or bool_or(exists (select from agent_sessions s where s.state = 'active' and s.run_id is distinct from r.id
        and (s.agent_id, s.project_id, s.purpose, s.task_id) = (r.agent_id, r.project_id, r.purpose, r.task_id)))`,
  'trap 7: what people say in a chat is never with a task': `
    select m.id || ' is with ' || s.id as violation
    from chat_messages m join agent_sessions s on s.id = m.delivered_session_id
    where m.conversation_id is null and s.purpose <> 'chat'`,
  'I-6 no wake-up is older than its TTL': `
    select p.agent_id || ' in ' || p.project_id || ' started at ' || p.started_at as violation
    from pending_agent_purposes p, app_settings a
    where p.started_at < clock_timestamp() - interval '10 s' - make_interval(secs => coalesce(a.pending_purpose_ttl_seconds, 300))`,
  'a run that is over knows when and why': `
    select r.id || ' is ' || r.state as violation from agent_runs r
    where (r.state = 'exited') <> (r.ended_at is not null and r.exit_cause is not null)`,
  'a session of a run that is over is over': `
    select s.id || ' is ' || s.state || ', its run ' || r.exit_cause as violation
    from agent_sessions s join agent_runs r on r.id = s.run_id
    where s.state <> 'ended' and r.state = 'exited'`,
  'I-9 a conversation counts its messages, and has no more than it may': `
    select c.id || ' counts ' || c.message_count || ' of ' || c.max_messages || ', has ' || count(m.id) as violation
    from conversations c left join chat_messages m on m.conversation_id = c.id and m.sender = 'agent'
    group by c.id, c.message_count, c.max_messages
    having c.message_count <> count(m.id) or c.message_count > c.max_messages`,
  'I-9 a chain counts what its conversations said': `
    select h.id || ' counts ' || h.message_count as violation from conversation_chains h
    where h.message_count <> (select coalesce(sum(c.message_count), 0) from conversations c where c.chain_id = h.id)`,
  'I-10 a person gave the answer, and nobody answered what was not answered': `
    select q.tool_use_id || ' is ' || q.state as violation
    from user_questions q left join agents a on a.id = q.answered_by
    where (q.state = 'answered') <> (q.answers is not null) or (q.state = 'answered' and a.type is distinct from 'human')
      or (q.state = 'pending') <> (q.resolved_at is null)`,
  'I-10 one card of a session is open': `
    select session_id || ' has ' || count(*) as violation from user_questions
    where state = 'pending' and shown_at is not null and session_id is not null
    group by session_id having count(*) > 1`,
  'I-10 a person allowed or denied, or the policy of the project; nobody decided what was not decided': `
    select q.tool_use_id || ' is ' || q.state as violation
    from approvals q left join agents a on a.id = q.decided_by
    where (q.state in ('allowed_once', 'allowed_session', 'denied')) <> (a.type = 'human' or q.policy is not null)
      or (q.policy = 'allow_edits' and (q.kind <> 'edit' or q.state <> 'allowed_once'))
      or (q.policy = 'deny' and q.state <> 'denied') or (q.state = 'pending') <> (q.resolved_at is null)`,
  'I-9 a session has no more than eight approvals open': `
    select session_id || ' has ' || count(*) as violation from approvals
    where state = 'pending' and orphaned_at is null group by session_id having count(*) > 8`,
  'an open card has a session, or may find one': `
    select q.tool_use_id as violation from (
      select tool_use_id, session_id, orphaned_at from user_questions where state = 'pending'
      union all select tool_use_id, session_id, orphaned_at from approvals where state = 'pending') q
    join agent_sessions s on s.id = q.session_id
    where s.state = 'ended' and q.orphaned_at is null`,
  'nobody waits to be told what the end of its session has closed': `
    select q.tool_use_id as violation from (
      select tool_use_id, session_id, orphaned_at from user_questions where acknowledged_at is null
      union all select tool_use_id, session_id, orphaned_at from approvals where acknowledged_at is null) q
    join agent_sessions s on s.id = q.session_id
    where s.state = 'ended' and q.orphaned_at is null`,
  'a message counts the steps that are kept with it': `
    select m.id || ' counts ' || coalesce(m.steps, 0) || ', has ' || s.steps as violation
    from chat_messages m left join lateral (select count(*) as steps from message_steps s where s.message_id = m.id) s on true
    where coalesce(m.steps, 0) <> s.steps`,
  'what grows has a session that lives': `
    select g.message_id as violation from growing_answers g left join agent_sessions s on s.id = g.session_id
    where g.discarded_at is null and (s.id is null or s.state = 'ended')`,
  'each answer is counted once in the sums of its agent': `
    select agent_id || ' in ' || project_id || ' counts ' || sum(counted) || ', has ' || sum(stored) as violation
    from (
      select project_id, agent_id, messages as counted, 0 as stored from usage_days
      union all select project_id, agent_id, 0, 1 from chat_messages where usage is not null) answers
    group by project_id, agent_id having sum(counted) <> sum(stored)`,
  'I-9 a Coordinator has no more runs than places': `
    select c.id || ' has ' || count(*) || ' of ' || c.capacity as violation
    from coordinators c join agent_runs r on r.coordinator_id = c.id and r.state <> 'exited'
    group by c.id, c.capacity having count(*) > c.capacity`,
} as const;

/** Only when everything has come to rest. */
export const WHEN_SETTLED = {
  'nobody waits for an agent that nothing will wake': `
    select m.id || ' waits for ' || m.deliver_to as violation
    from chat_messages m join projects p on p.id = m.project_id and p.status <> 'archived' and p.deleted_at is null
    join project_agents pa on pa.project_id = m.project_id and pa.agent_id = m.deliver_to
    where m.state = 'stored' and m.deliver_to is not null
      and not exists (select from pending_agent_purposes w
        where w.project_id = m.project_id and w.agent_id = m.deliver_to and w.purpose = 'chat')
      and not exists (select from agent_sessions s
        where s.project_id = m.project_id and s.agent_id = m.deliver_to and s.purpose = 'chat' and s.state = 'active')`,
} as const;

/** Only where all time was the real one: tests that turn a clock mix both. */
export const ON_REAL_TIME = {
  'I-5 the conversation of a message was live when it was stored': `
    select m.id || ' at ' || m.created_at || ' in ' || c.id || ' from ' || c.created_at || ' to ' || c.ended_at
      || ' (' || c.end_reason || ')' as violation
    from chat_messages m join conversations c on c.id = m.conversation_id
    where m.sender = 'agent' and (m.created_at < c.created_at or m.created_at > c.ended_at)`,
  'I-6 no wake-up that nobody took is older than its TTL': `
    select p.agent_id || ' in ' || p.project_id || ' since ' || p.created_at as violation
    from pending_agent_purposes p, app_settings a
    where p.started_at is null and p.held_since is null
      and p.created_at < clock_timestamp() - interval '10 s' - make_interval(secs => p.held_ms / 1000.0)
        - make_interval(secs => coalesce(a.pending_purpose_ttl_seconds, 300))`,
} as const;
