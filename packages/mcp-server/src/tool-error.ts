import type { ErrorCode } from '@aizuchi/shared/contract/error-codes';
import { databaseFaultOf } from '@aizuchi/shared/platform/db/database';
import { AppError } from '@aizuchi/shared/platform/errors';
import type { Logger } from '@aizuchi/shared/platform/logger';
import type { ToolResult } from './tool-result.ts';

/**
 * refusal: do something else. retry: the same call may succeed later, and the result says when. fault: an
 * internal error; logged, its details are not sent.
 */
type ToolErrorKind = 'refusal' | 'retry' | 'fault';

const KINDS: Record<ErrorCode, ToolErrorKind> = {
  unauthenticated: 'refusal',
  forbidden: 'refusal',
  host_not_allowed: 'refusal',
  origin_not_allowed: 'refusal',
  rate_limited: 'retry',
  quota_reached: 'retry',
  invalid_input: 'refusal',
  payload_too_large: 'refusal',
  unavailable: 'retry',
  internal: 'fault',
  not_found: 'refusal',
  project_not_found: 'refusal',
  agent_not_found: 'refusal',
  task_not_found: 'refusal',
  comment_not_found: 'refusal',
  proposal_not_found: 'refusal',
  message_not_found: 'refusal',
  attachment_not_found: 'refusal',
  token_not_found: 'refusal',
  run_not_found: 'refusal',
  run_log_not_found: 'refusal',
  question_not_found: 'refusal',
  channel_not_found: 'refusal',
  approval_not_found: 'refusal',
  batch_not_found: 'refusal',
  schedule_not_found: 'refusal',
  changes_not_found: 'refusal',
  event_not_found: 'refusal',
  state_not_found: 'refusal',
  retrieval_run_not_found: 'refusal',
  capture_request_not_found: 'refusal',
  id_taken: 'refusal',
  name_taken: 'refusal',
  last_owner: 'refusal',
  working_directory_not_allowed: 'refusal',
  working_directory_in_use: 'refusal',
  project_has_running_agents: 'refusal',
  project_archived: 'refusal',
  import_invalid: 'refusal',
  chat_not_empty: 'refusal',
  agent_not_in_project: 'refusal',
  agent_is_human: 'refusal',
  no_default_agent: 'refusal',
  message_not_failed: 'refusal',
  client_message_id_reused: 'refusal',
  attachment_in_use: 'refusal',
  attachment_quota_reached: 'refusal',
  version_conflict: 'refusal',
  invalid_status_transition: 'refusal',
  dependency_cycle: 'refusal',
  dependencies_unfinished: 'refusal',
  proposal_open: 'refusal',
  proposal_resolved: 'refusal',
  not_a_task_session: 'refusal',
  task_not_in_progress: 'refusal',
  set_by_environment: 'refusal',
  invalid_answer: 'refusal',
  question_already_answered: 'refusal',
  no_pending_question: 'refusal',
  tool_use_id_mismatch: 'refusal',
  address_not_allowed: 'refusal',
  too_many_channels: 'refusal',
  answer_link_not_found: 'refusal',
  approval_already_decided: 'refusal',
  changes_already_decided: 'refusal',
  changes_conflict: 'refusal',
  run_not_ended: 'refusal',
  chat_busy: 'refusal',
  llm_unavailable: 'refusal',
  image_too_large: 'refusal',
  session_exists: 'refusal',
  run_lost: 'refusal',
  coordinator_id_taken: 'refusal',
  nothing_to_answer: 'refusal',
  target_required: 'refusal',
  conversation_required_for_ai_to_ai: 'refusal',
  target_agent_not_in_project: 'refusal',
  conversation_not_found: 'refusal',
  cannot_conversation_with_self: 'refusal',
  cannot_start_conversation_with_human: 'refusal',
  conversation_already_active: 'refusal',
  chain_limit: 'refusal',
  no_active_conversation: 'refusal',
  not_conversation_participant: 'refusal',
  conversation_id_required: 'refusal',
};

const RETRY_AFTER_SECONDS = 1;

/** The answer to a failed call. This is the only place that logs internal errors, once each. */
export function toolError(error: unknown, context: { logger: Logger; tool: string }): ToolResult {
  const { logger, tool } = context;
  if (!(error instanceof AppError)) return toolError(translate(error, context), context);
  switch (KINDS[error.code]) {
    case 'refusal':
      return errorResult(error.code, error.message, error.details);
    case 'retry':
      return errorResult(error.code, error.message, {
        ...error.details,
        retry_after_seconds: error.retryAfterSeconds ?? RETRY_AFTER_SECONDS,
      });
    case 'fault':
      logger.error({ err: error.cause ?? error, tool }, 'tool failed');
      return errorResult(error.code, 'Something went wrong here. Call again; if it repeats, tell a person.');
  }
}

/** Errors that the services did not throw on purpose. */
function translate(error: unknown, { logger, tool }: { logger: Logger; tool: string }): AppError {
  const fault = databaseFaultOf(error);
  if (fault === 'away') {
    logger.warn({ err: error, tool }, 'database away');
    return new AppError('unavailable', 'The database cannot be reached. Call again.', { cause: error });
  }
  if (fault === 'unstorable')
    return new AppError('invalid_input', 'A value in the arguments cannot be stored.', { cause: error });
  return new AppError('internal', 'unexpected', { cause: error });
}

function errorResult(
  code: ErrorCode,
  message: string,
  details?: Readonly<Record<string, unknown>>,
): ToolResult {
  const error = { code, message, ...(details && { details }) };
  return { isError: true, content: [{ type: 'text', text: JSON.stringify({ error }) }] };
}
