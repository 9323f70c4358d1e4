-- Who looks at what agents report as done; null: nobody. It counts only while that one is a member, or an owner
-- (core/projects/project-queries.ts): its membership is locked before the project when it leaves.
alter table projects add column reviewer_id text references agents (id);
