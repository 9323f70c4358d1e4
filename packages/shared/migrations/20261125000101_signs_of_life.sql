-- Signs of life are written over and over in place. Each vacuum or analysis of these tables would make every prepared
-- statement that reads them be planned anew; two tables have a handful of rows, and vacuum finds nothing to do there.
alter table coordinators set (autovacuum_vacuum_threshold = 10000, autovacuum_analyze_threshold = 10000);
alter table listening_marks set (autovacuum_vacuum_threshold = 10000, autovacuum_analyze_threshold = 10000);
-- Room in each page, so that a session that was seen is not entered into the indexes again.
alter table agent_sessions set (fillfactor = 75);
