import { expect, test } from 'vitest';
import { z } from 'zod';
import { resolveTarget } from './common.ts';
import {
  endConversationInput,
  getConversationMessagesInput,
  startConversationInput,
} from './conversation-tools.ts';
import { getNextActionOutput, NEXT_ACTIONS, nextActionSchema } from './next-action.ts';
import { TOOL_NAMES, TOOLS } from './tools.ts';

test('the tools and the names of their arguments are a promise to clients that we do not control', () => {
  const published = Object.values(TOOLS).map(
    ({ name, input }) => `${name} ${Object.keys(input.shape).join(' ')}`,
  );
  expect(published).toMatchInlineSnapshot(`
    [
      "authenticate agent_id passkey project_id purpose replace session_token",
      "logout idempotency_key received session_token",
      "get_next_action hold_seconds received session_token",
      "get_pending_messages memory received session_token",
      "respond_chat content done failure batch_id target_agent_id participant_agent_id target to conversation_id message_id usage model idempotency_key received session_token",
      "send_message target_agent_id participant_agent_id target to content related_task_id conversation_id idempotency_key received session_token",
      "get_attachment id offset received session_token",
      "ask_user_question questions tool_use_id hold_seconds idempotency_key received session_token",
      "request_approval tool summary input kind session_scope tool_use_id hold_seconds idempotency_key received session_token",
      "request_vision source timeout_ms idempotency_key received session_token",
      "start_conversation target_agent_id participant_agent_id target to purpose initial_message max_messages idempotency_key received session_token",
      "end_conversation conversation_id target_agent_id participant_agent_id target to final_message idempotency_key received session_token",
      "get_conversation_messages conversation_id target_agent_id participant_agent_id target to after before limit received session_token",
      "list_project_agents received session_token",
      "list_tasks status assignee_id limit cursor received session_token",
      "get_task task_id received session_token",
      "create_task title description status priority assignee_id parent_id depends_on labels due_date idempotency_key received session_token",
      "update_task_status task_id status version comment idempotency_key received session_token",
      "propose_subtasks task_id subtasks idempotency_key received session_token",
      "get_my_task received session_token",
      "save_context text idempotency_key received session_token",
      "report_completed result summary idempotency_key received session_token",
      "recall query limit received session_token",
      "remember text kind idempotency_key received session_token",
      "get_my_profile received session_token",
      "help tool received session_token",
      "heartbeat phase hold_seconds received session_token",
      "report_delta message_id text offset received session_token",
      "report_step message_id step batch_id received session_token",
      "report_models models received session_token",
      "health_check coordinator_token",
      "list_active_projects_with_agents coordinator_token",
      "wait_for_agent_actions coordinator_id host boot_id capacity running labels roots executor keeps_egress memory pulling as_of hold_seconds instance_id coordinator_token",
      "get_agent_action agent_id project_id coordinator_id instance_id coordinator_token",
      "report_process_started run_id coordinator_id host boot_id pid start_ticks executor node image limits instance_id idempotency_key coordinator_token",
      "report_process_exit run_id exit_code signal error reason cause stderr_tail coordinator_id instance_id idempotency_key coordinator_token",
      "report_changes run_id coordinator_id instance_id made_for number outcome base branch into seen conflict fault reason idempotency_key coordinator_token",
      "report_programs coordinator_id instance_id programs coordinator_token",
      "report_agent_error agent_id project_id run_id coordinator_id error reason idempotency_key coordinator_token",
    ]
  `);
  expect(Object.keys(TOOLS)).toEqual(TOOL_NAMES);
});

test.each(Object.values(TOOLS))('$name has schemas that MCP can publish', ({ input, output }) => {
  expect(z.toJSONSchema(input, { io: 'input' })).toMatchObject({
    type: 'object',
    additionalProperties: false,
  });
  expect(z.toJSONSchema(output)).toMatchObject({ type: 'object' });
});

test('every tool that writes accepts an idempotency_key', () => {
  const writing = Object.values(TOOLS).filter(({ annotations }) => !annotations.idempotentHint);
  const without = writing.filter(({ input }) => !('idempotency_key' in input.shape)).map(({ name }) => name);
  // Exceptions: a sign-in is bound to its ticket or refused as session_exists; a start is taken by one
  // statement.
  expect(without).toEqual(['authenticate', 'get_agent_action']);
});

test('every action of the union is published flat, and nothing else', () => {
  const actions = nextActionSchema.options.map((option) => option.shape.action.value);
  expect(actions).toEqual(NEXT_ACTIONS);
  const keys = new Set(nextActionSchema.options.flatMap((option) => Object.keys(option.shape)));
  expect([...keys].sort()).toEqual(Object.keys(getNextActionOutput.shape).sort());
});

test.each([startConversationInput, endConversationInput, getConversationMessagesInput])(
  'any alias can name the other agent of a conversation',
  (input) => {
    for (const alias of ['target_agent_id', 'participant_agent_id', 'target', 'to'])
      expect(input.parse({ [alias]: 'worker-b' })).toEqual({ [alias]: 'worker-b' });
  },
);

test('the aliases of a target mean one value; two values are a conflict', () => {
  expect(resolveTarget({})).toEqual({});
  expect(resolveTarget({ to: 'worker-b' })).toEqual({ target: 'worker-b' });
  expect(resolveTarget({ to: 'worker-b', target_agent_id: 'worker-b' })).toEqual({ target: 'worker-b' });
  expect(resolveTarget({ to: 'a', participant_agent_id: 'b' })).toEqual({
    conflict: ['participant_agent_id', 'to'],
  });
});
