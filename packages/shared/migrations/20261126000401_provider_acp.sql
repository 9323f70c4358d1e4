-- Agents that speak the Agent Client Protocol on stdin and stdout; `command` names the program.
alter table agents
  drop constraint agents_provider_check,
  add constraint agents_provider_check
    check (provider in ('builtin', 'claude', 'acp', 'openai', 'command'));
