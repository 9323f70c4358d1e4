-- One word: git and the settings of a project say worktree.
alter table working_copies rename to worktrees;
alter table worktrees rename constraint working_copies_pkey to worktrees_pkey;
alter table worktrees rename constraint working_copies_state_check to worktrees_state_check;
alter table worktrees rename constraint working_copies_order_check to worktrees_order_check;
alter table worktrees rename constraint working_copies_run_id_fkey to worktrees_run_id_fkey;
alter table worktrees rename constraint working_copies_decided_by_fkey to worktrees_decided_by_fkey;
alter index working_copies_ordered_idx rename to worktrees_ordered_idx;
alter index working_copies_undecided_idx rename to worktrees_undecided_idx;
-- A card or notice is offered, as a batch of messages is.
alter table conversation_notices rename column tellings to offers;
alter table user_questions rename column tellings to offers;
alter table approvals rename column tellings to offers;
