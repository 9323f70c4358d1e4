-- Which retrieval an answer has used, so that the page can show it. No reference: runs are forgotten before messages.

-- Set while the batch is unanswered: its delivery had a pack, or its agent has recalled since.
alter table delivery_batches add column retrieval_run_id text;
alter table chat_messages add column retrieval_run_id text;
