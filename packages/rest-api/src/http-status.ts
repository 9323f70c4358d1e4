import type { ErrorCode } from '@aizuchi/shared/contract/error-codes';

/** Every code has its status; a new code without one does not compile. */
export const HTTP_STATUS: Readonly<Record<ErrorCode, number>> = {
  unauthenticated: 401,
  forbidden: 403,
  host_not_allowed: 403,
  origin_not_allowed: 403,
  rate_limited: 429,

  invalid_input: 400,
  payload_too_large: 413,
  unavailable: 503,
  internal: 500,
  not_found: 404,

  project_not_found: 404,
  agent_not_found: 404,
  task_not_found: 404,
  message_not_found: 404,
  token_not_found: 404,
  run_not_found: 404,
  run_log_not_found: 404,

  id_taken: 409,
  last_owner: 409,
  working_directory_not_allowed: 422,
  working_directory_in_use: 409,
  project_has_running_agents: 409,
  project_archived: 409,
  agent_not_in_project: 422,
  agent_is_human: 422,
  no_default_agent: 422,
  message_not_failed: 409,
  client_message_id_reused: 409,
  version_conflict: 409,
  invalid_status_transition: 422,
  dependency_cycle: 422,
  set_by_environment: 409,

  session_exists: 409,
  run_lost: 409,
  nothing_to_answer: 409,
  target_required: 400,
  conversation_required_for_ai_to_ai: 422,
  target_agent_not_in_project: 422,
};
