import { TOOL_TEXTS, type ToolName } from '@aizuchi/shared/contract/tools/tool-texts';

/** Names our server in the names of its tools. */
export const SERVER_NAME = 'aizuchi';
const PREFIX = `mcp__${SERVER_NAME}__`;

/**
 * Which tools of our server the model is offered. The runner signs in, fetches and answers messages, reports and asks
 * itself; a Coordinator's tools are for no agent. A new tool does not compile without an entry.
 */
const OFFERED: Readonly<Record<ToolName, boolean>> = {
  authenticate: false,
  logout: false,
  get_next_action: false,
  get_pending_messages: false,
  respond_chat: false,
  heartbeat: false,
  report_delta: false,
  report_step: false,
  report_models: false,
  /** Its own tool AskUserQuestion shows the same card. */
  ask_user_question: false,
  request_approval: false,
  send_message: true,
  start_conversation: true,
  end_conversation: true,
  get_conversation_messages: true,
  list_project_agents: true,
  list_tasks: true,
  get_task: true,
  create_task: true,
  update_task_status: true,
  get_my_profile: true,
  /** It explains the loop of calls, which is the runner's. */
  help: false,
  health_check: false,
  list_active_projects_with_agents: false,
  wait_for_agent_actions: false,
  get_agent_action: false,
  report_process_started: false,
  report_process_exit: false,
  report_agent_error: false,
  report_changes: false,
  report_programs: false,
};

export const WITHHELD_TOOLS: readonly string[] = Object.entries(OFFERED)
  .filter(([, isOffered]) => !isOffered)
  .map(([name]) => `${PREFIX}${name}`);

/** The name of an offered tool of ours; undefined: it is not one. */
export function ownTool(name: string): ToolName | undefined {
  const own = name.startsWith(PREFIX) ? name.slice(PREFIX.length) : '';
  return isToolName(own) && OFFERED[own] ? own : undefined;
}

function isToolName(name: string): name is ToolName {
  return Object.hasOwn(TOOL_TEXTS, name);
}
