/**
 * Every error code of the public interfaces, in one place: the HTTP table (platform/http/http-status.ts) and the MCP table
 * (tool-error.ts) are Records over this type, so a code without both mappings does not compile.
 */
export const ERROR_CODES = [
  // Who and where
  'unauthenticated',
  'forbidden',
  'host_not_allowed',
  'origin_not_allowed',
  'rate_limited',
  'quota_reached',
  // What
  'invalid_input',
  'payload_too_large',
  'unavailable',
  'internal',
  'not_found',
  // Missing, or not to be seen by the caller
  'project_not_found',
  'agent_not_found',
  'task_not_found',
  'comment_not_found',
  'proposal_not_found',
  'message_not_found',
  'token_not_found',
  'run_not_found',
  'run_log_not_found',
  'question_not_found',
  'approval_not_found',
  'channel_not_found',
  'batch_not_found',
  'schedule_not_found',
  'changes_not_found',
  'event_not_found',
  'state_not_found',
  'retrieval_run_not_found',
  'capture_request_not_found',
  // Refusals
  'id_taken',
  'name_taken',
  'last_owner',
  'working_directory_not_allowed',
  'working_directory_in_use',
  'project_has_running_agents',
  'project_archived',
  'import_invalid',
  'chat_not_empty',
  'agent_not_in_project',
  'agent_is_human',
  'no_default_agent',
  'message_not_failed',
  'client_message_id_reused',
  'version_conflict',
  'invalid_status_transition',
  'dependency_cycle',
  'dependencies_unfinished',
  'proposal_open',
  'proposal_resolved',
  'not_a_task_session',
  'task_not_in_progress',
  'set_by_environment',
  // Questions
  'invalid_answer',
  'question_already_answered',
  'no_pending_question',
  'tool_use_id_mismatch',
  // Notifications
  'address_not_allowed',
  'too_many_channels',
  'answer_link_not_found',
  // Approvals
  'approval_already_decided',
  // The worktree of a run
  'changes_already_decided',
  'changes_conflict',
  'run_not_ended',
  // Turns of POST /api/chat
  'chat_busy',
  // Images, and the model that is to describe them
  'llm_unavailable',
  'image_too_large',
  // Agents and Coordinators
  'session_exists',
  'run_lost',
  'coordinator_id_taken',
  'nothing_to_answer',
  'target_required',
  'conversation_required_for_ai_to_ai',
  'target_agent_not_in_project',
  // Conversations between agents
  'conversation_not_found',
  'cannot_conversation_with_self',
  'cannot_start_conversation_with_human',
  'conversation_already_active',
  'chain_limit',
  'no_active_conversation',
  'not_conversation_participant',
  'conversation_id_required',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];
