-- One word for what has arrived: acknowledged, by its receipt or, where receipts are not known, by a written response.
alter table agent_sessions rename column exit_told_at to exit_acknowledged_at;
alter table agent_sessions rename column control_told to control_acknowledged;
alter table agent_sessions rename constraint agent_sessions_control_told_check to agent_sessions_control_acknowledged_check;
alter table user_questions rename column told_at to acknowledged_at;
alter table conversation_notices rename column told_at to acknowledged_at;
