-- What a project sees of a memory is found without what the others have in it. The postings name the project too ('': what
-- is general), so that the index of a common term gives the documents of a project and no others.
create index memory_documents_terms_idx on memory_documents using gin (terms, (array[coalesce(project_id, '')]));
-- As memory_documents_agent_idx and memory_states_agent_idx, of a project or of what is general.
create index memory_documents_project_idx on memory_documents (agent_id, project_id, created_at, id) include (length);
create index memory_states_project_idx on memory_states (agent_id, project_id, last_confirmed_at desc, id);
