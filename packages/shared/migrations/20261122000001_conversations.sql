-- Agents talk to each other: a conversation has a beginning, an end and a limit.

-- Conversations that follow from one another: what they say together is counted here, under this row's lock (I-9).
create table conversation_chains (
  id text primary key,
  project_id text not null references projects (id),
  message_count integer not null default 0,
  -- What people have allowed on top of the limit ("go on?").
  extra_messages integer not null default 0,
  -- Since when a person is asked whether it may go on.
  asked_at timestamptz(3)
);

create table conversations (
  id text primary key,
  project_id text not null references projects (id),
  initiator_agent_id text not null references agents (id),
  participant_agent_id text not null references agents (id),
  state text not null default 'pending'
    constraint conversations_state_check check (state in ('pending', 'active', 'terminating', 'ended', 'expired')),
  purpose text,
  message_count integer not null default 0,
  max_messages integer not null constraint conversations_max_messages_check check (max_messages between 2 and 40),
  chain_id text not null references conversation_chains (id),
  -- The sessions that hold the two sides; null: nobody yet, or the session ended and the next one takes it over.
  initiator_session_id text references agent_sessions (id),
  participant_session_id text references agent_sessions (id),
  created_at timestamptz(3) not null default clock_timestamp(),
  -- When it became active, or the last message after that.
  last_activity_at timestamptz(3) not null,
  -- When it was ended; `terminating` as long as a side does not know yet.
  ended_at timestamptz(3),
  ended_by text,
  end_reason text constraint conversations_end_reason_check check (end_reason in ('initiator_ended',
    'participant_ended', 'timeout', 'max_messages', 'chain_limit', 'human_stopped', 'participant_gone', 'not_started')),
  final_message text,
  constraint conversations_two_agents_check check (initiator_agent_id <> participant_agent_id),
  -- I-9
  constraint conversations_message_count_check check (message_count between 0 and max_messages)
);
-- I-3 and trap 3: one live conversation per pair of agents, whoever began it.
create unique index conversations_live_pair_key on conversations
  (project_id, least(initiator_agent_id, participant_agent_id), greatest(initiator_agent_id, participant_agent_id))
  where state in ('pending', 'active');
-- What next of an agent's session: sides to take over, times that are over. What keeps it busy.
create index conversations_live_initiator_idx on conversations (initiator_agent_id, project_id)
  where state in ('pending', 'active');
create index conversations_live_participant_idx on conversations (participant_agent_id, project_id)
  where state in ('pending', 'active');
-- The list of a project, the newest first.
create index conversations_project_idx on conversations (project_id, created_at desc, id desc);
-- The sweeper's candidates.
create index conversations_open_idx on conversations (state, last_activity_at)
  where state in ('pending', 'active', 'terminating');

-- What a side must still hear of its conversation: offered, then told (I-4).
create table conversation_notices (
  conversation_id text not null references conversations (id),
  agent_id text not null references agents (id),
  kind text not null constraint conversation_notices_kind_check check (kind in ('request', 'ended', 'expired')),
  project_id text not null references projects (id),
  -- The session that is to hear it; null: the agent's next one.
  session_id text references agent_sessions (id),
  -- An earlier session of the agent has heard of the conversation.
  resumed boolean not null default false,
  created_at timestamptz(3) not null,
  offered_at timestamptz(3),
  told_at timestamptz(3),
  -- Nobody was there to hear it.
  gone_at timestamptz(3),
  primary key (conversation_id, agent_id, kind)
);
-- "What does this agent not know yet?" of every next action.
create index conversation_notices_open_idx on conversation_notices (agent_id, project_id)
  where told_at is null and gone_at is null;

-- A message between two agents stands in both files: agent_id and log_offset are the sender's place, these the receiver's.
alter table chat_messages
  add column peer_agent_id text,
  add column peer_log_offset bigint;
-- Repairs the receiver's chat.jsonl from a byte position.
create index chat_messages_peer_log_idx on chat_messages (project_id, peer_agent_id, peer_log_offset)
  where peer_agent_id is not null;
-- The hourly limit of one agent.
create index chat_messages_between_agents_idx on chat_messages (project_id, sender_id, created_at)
  where conversation_id is not null;

-- An agent has several sources that count their messages apart: the oldest waiting one is found by time.
drop index chat_messages_unread_idx;
create index chat_messages_unread_idx on chat_messages (deliver_to, project_id, created_at, seq)
  where state = 'stored' and deliver_to is not null;
