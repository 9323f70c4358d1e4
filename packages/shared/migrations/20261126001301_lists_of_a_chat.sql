-- The conversations of one agent, the newest first: its chat shows them among its messages.
create index conversations_of_initiator_idx on conversations (project_id, initiator_agent_id, created_at desc, id desc);
create index conversations_of_participant_idx on conversations (project_id, participant_agent_id, created_at desc, id desc);

-- The cards of one agent, the newest first. What a policy has allowed is not shown in its chat, and may be much.
create index approvals_of_agent_idx on approvals (project_id, agent_id, seq desc) where policy is distinct from 'allow_edits';
create index user_questions_of_agent_idx on user_questions (project_id, agent_id, seq desc);
