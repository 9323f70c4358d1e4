-- What "for this session" would allow, as the agent says it to the person who decides.
alter table approvals add column session_scope text;
