-- A conversation waits for the turn in which its agent's process crashed: the few sessions of an agent that ended lately.
create index agent_sessions_ended_chat_idx on agent_sessions (project_id, agent_id, ended_at)
  where state = 'ended' and purpose = 'chat';
