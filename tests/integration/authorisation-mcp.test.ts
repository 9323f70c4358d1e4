import { TOOL_NAMES, TOOLS, type ToolInput } from '@aizuchi/shared/contract/tools/tools';
import type { WorldAgent } from '@aizuchi/shared/testing/service-world';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { McpWorld, type RunningServer } from '../../packages/mcp-server/src/testing/mcp-world.ts';
import { callTool } from '../../packages/mcp-server/src/testing/raw-client.ts';
import { COORDINATOR_TOKEN } from '../../packages/mcp-server/src/testing/test-app.ts';

/**
 * Calls every tool as every kind of caller. The table is complete by construction: a tool without arguments here, or
 * a caller without an expectation, does not compile.
 */
type ToolName = (typeof TOOL_NAMES)[number];

const CALLERS = [
  'nobody',
  'wrong token',
  'session that ended just now',
  'session that ended long ago',
  "another project's agent",
  'person',
  'coordinator',
  'right caller',
] as const;
type Caller = (typeof CALLERS)[number];

/** ok: answered. Any other value is the code of the refusal. */
type Outcome =
  | 'ok'
  | 'unauthenticated'
  | 'target_agent_not_in_project'
  | 'conversation_not_found'
  | 'task_not_found'
  | 'attachment_not_found'
  | 'not_a_task_session';

const AGENTS_ONLY: Record<Caller, Outcome> = {
  nobody: 'unauthenticated',
  'wrong token': 'unauthenticated',
  'session that ended just now': 'unauthenticated',
  'session that ended long ago': 'unauthenticated',
  // The session is valid for its own project; other tests check that it sees nothing of this one.
  "another project's agent": 'ok',
  person: 'unauthenticated',
  coordinator: 'unauthenticated',
  'right caller': 'ok',
};
/** The sessions of this table are chats: whoever is an agent is told so. */
const CHAT_IS_NO_TASK: Record<Caller, Outcome> = {
  ...AGENTS_ONLY,
  "another project's agent": 'not_a_task_session',
  'right caller': 'not_a_task_session',
};
/** An agent whose session was ended is told how, and may still say goodbye. */
const ENDED_TOO: Record<Caller, Outcome> = { ...AGENTS_ONLY, 'session that ended just now': 'ok' };
const COORDINATORS_ONLY: Record<Caller, Outcome> = {
  ...AGENTS_ONLY,
  "another project's agent": 'unauthenticated',
  coordinator: 'ok',
  'right caller': 'ok',
};
const ANYONE: Record<Caller, Outcome> = {
  nobody: 'ok',
  'wrong token': 'ok',
  'session that ended just now': 'ok',
  'session that ended long ago': 'ok',
  "another project's agent": 'ok',
  person: 'ok',
  coordinator: 'ok',
  'right caller': 'ok',
};

const EXPECTED: Record<ToolName, Record<Caller, Outcome>> = {
  authenticate: ANYONE,
  help: ANYONE,
  get_next_action: ENDED_TOO,
  logout: ENDED_TOO,
  get_pending_messages: AGENTS_ONLY,
  respond_chat: AGENTS_ONLY,
  send_message: AGENTS_ONLY,
  get_attachment: { ...AGENTS_ONLY, "another project's agent": 'attachment_not_found' },
  ask_user_question: AGENTS_ONLY,
  request_approval: AGENTS_ONLY,
  request_vision: AGENTS_ONLY,
  start_conversation: { ...AGENTS_ONLY, "another project's agent": 'target_agent_not_in_project' },
  end_conversation: { ...AGENTS_ONLY, "another project's agent": 'conversation_not_found' },
  get_conversation_messages: { ...AGENTS_ONLY, "another project's agent": 'conversation_not_found' },
  list_project_agents: AGENTS_ONLY,
  list_tasks: AGENTS_ONLY,
  get_task: { ...AGENTS_ONLY, "another project's agent": 'task_not_found' },
  create_task: AGENTS_ONLY,
  get_my_task: CHAT_IS_NO_TASK,
  save_context: CHAT_IS_NO_TASK,
  report_completed: CHAT_IS_NO_TASK,
  update_task_status: { ...AGENTS_ONLY, "another project's agent": 'task_not_found' },
  propose_subtasks: { ...AGENTS_ONLY, "another project's agent": 'task_not_found' },
  recall: AGENTS_ONLY,
  remember: AGENTS_ONLY,
  get_my_profile: AGENTS_ONLY,
  heartbeat: AGENTS_ONLY,
  report_delta: AGENTS_ONLY,
  report_step: AGENTS_ONLY,
  report_models: AGENTS_ONLY,
  health_check: COORDINATORS_ONLY,
  list_active_projects_with_agents: COORDINATORS_ONLY,
  wait_for_agent_actions: COORDINATORS_ONLY,
  get_agent_action: COORDINATORS_ONLY,
  report_process_started: COORDINATORS_ONLY,
  report_process_exit: COORDINATORS_ONLY,
  report_changes: COORDINATORS_ONLY,
  report_programs: COORDINATORS_ONLY,
  report_agent_error: COORDINATORS_ONLY,
};

const HOST = { coordinator_id: 'host-a', host: 'host-a', boot_id: 'boot' };

/** Arguments with which the allowed caller succeeds. */
const ARGUMENTS: { [N in ToolName]: (victim: Victim) => ToolInput<N> } = {
  authenticate: () => ({}),
  help: () => ({}),
  get_next_action: () => ({}),
  logout: () => ({}),
  get_pending_messages: () => ({}),
  respond_chat: () => ({ content: 'an answer' }),
  send_message: () => ({ to: 'user', content: 'a word' }),
  get_attachment: ({ attachmentId }) => ({ id: attachmentId }),
  ask_user_question: () => ({
    questions: [{ question: 'Go on?', header: 'Go', options: [{ label: 'Yes' }, { label: 'No' }] }],
    hold_seconds: 0,
  }),
  request_approval: () => ({ tool: 'Bash', summary: 'Run', input: { command: 'ls' }, hold_seconds: 0 }),
  // No model is configured: the answer says so.
  request_vision: () => ({ source: 'a screenshot' }),
  start_conversation: ({ partnerId }) => ({ to: partnerId, idempotency_key: 'once' }),
  end_conversation: ({ conversationId }) => ({ conversation_id: conversationId }),
  get_conversation_messages: ({ conversationId }) => ({ conversation_id: conversationId }),
  list_project_agents: () => ({}),
  list_tasks: () => ({}),
  get_task: ({ agentId }) => ({ task_id: `tsk_${agentId}` }),
  create_task: () => ({ title: 'Order tea' }),
  get_my_task: () => ({}),
  save_context: () => ({ text: 'Half of it is done.' }),
  report_completed: () => ({ result: 'done', summary: 'All of it.' }),
  update_task_status: ({ agentId }) => ({ task_id: `tsk_${agentId}`, status: 'todo' }),
  propose_subtasks: ({ agentId }) => ({ task_id: `tsk_${agentId}`, subtasks: [{ title: 'First' }] }),
  recall: () => ({ query: 'tea' }),
  remember: () => ({ text: 'Mori drinks tea.' }),
  get_my_profile: () => ({}),
  heartbeat: () => ({ phase: 'thinking' }),
  report_delta: () => ({ message_id: 'msg_00000000000000000000', text: 'a', offset: 0 }),
  report_step: () => ({
    message_id: 'msg_00000000000000000000',
    step: { id: 's1', kind: 'read', title: 'Read', status: 'running' },
  }),
  report_models: () => ({ models: [{ id: 'sonnet' }] }),
  health_check: () => ({}),
  list_active_projects_with_agents: () => ({}),
  wait_for_agent_actions: ({ runId }) => ({ ...HOST, capacity: 9, running: [runId], labels: [], roots: [] }),
  get_agent_action: ({ agentId, projectId }) => ({ agent_id: agentId, project_id: projectId }),
  report_process_started: ({ runId }) => ({ ...HOST, run_id: runId, pid: 4711, start_ticks: 1 }),
  report_process_exit: ({ runId }) => ({ run_id: runId, exit_code: 0 }),
  report_changes: ({ runId }) => ({
    coordinator_id: HOST.coordinator_id,
    run_id: runId,
    outcome: 'seen',
    base: 'b',
    branch: 'aizuchi/b',
    into: null,
  }),
  report_programs: () => ({
    coordinator_id: HOST.coordinator_id,
    programs: [{ id: 'claude', state: 'not_found' }],
  }),
  report_agent_error: ({ agentId, projectId }) => ({
    agent_id: agentId,
    project_id: projectId,
    error: 'broken',
  }),
};

/** A text in the victim's project that no other caller may see. */
const MARKER = 'only for this project';

interface Victim extends WorldAgent {
  readonly ticket: string;
  readonly runId: string;
  /** An agent with which it may begin a conversation, and its conversation with another agent. */
  readonly partnerId: string;
  readonly conversationId: string;
  readonly attachmentId: string;
}

let world: McpWorld;
let server: RunningServer;
let others: Record<Exclude<Caller, 'right caller'>, string | undefined>;

beforeAll(async () => {
  world = await McpWorld.create();
  server = await world.startServer();
  const { services } = world;
  const endedNow = await warm();
  const endedLongAgo = await warm();
  await services.sessions.logout(endedNow.caller);
  await services.sessions.logout(endedLongAgo.caller);
  await services.database.pool.query(
    `update agent_sessions set ended_at = ended_at - interval '11 minutes' where id = $1`,
    [endedLongAgo.caller.sessionId],
  );
  others = {
    nobody: undefined,
    'wrong token': 'a-token-that-nobody-has',
    'session that ended just now': endedNow.ticket,
    'session that ended long ago': endedLongAgo.ticket,
    "another project's agent": await signedInElsewhere(),
    person: (await services.auth.createToken(services.owner, { name: 'test' })).token,
    coordinator: COORDINATOR_TOKEN,
  };
});
afterAll(() => world.close());

async function warm() {
  const membership = await world.services.agentInProject();
  return { ...membership, ...(await world.services.warmAgent(membership)) };
}

/** Signs in by passkey, so that there is no run that its Coordinator could stop listing during the test. */
async function signedInElsewhere(): Promise<string> {
  const { projectId, agentId } = await world.services.agentInProject();
  const { passkey } = await world.services.agents.setPasskey(world.services.owner, agentId, {});
  const result = await world.services.sessions.authenticate({
    agentId,
    projectId,
    passkey,
    address: '127.0.0.1',
  });
  if (!result.success || result.sessionToken === undefined) throw new Error('could not sign in');
  return result.sessionToken;
}

/** Makes a new warm agent for each tool, with a waiting message and a task. */
async function makeVictim(): Promise<Victim> {
  const victim = await warm();
  const { services } = world;
  const { id: attachmentId } = await services.attachments.upload(services.owner, {
    projectId: victim.projectId,
    name: 'marker.txt',
    bytes: Buffer.from(MARKER),
  });
  await services.chat.post(services.owner, { ...victim, content: MARKER, attachments: [attachmentId] });
  await services.database.pool.query(
    `insert into tasks (id, project_id, title, created_by) values ($1, $2, $3, 'owner')`,
    [`tsk_${victim.agentId}`, victim.projectId, MARKER],
  );
  const partner = await services.colleague(victim);
  const talker = await services.colleague(victim);
  const { conversation } = await services.talks.start(victim.caller, {
    targetAgentId: talker.agentId,
    initialMessage: MARKER,
  });
  return { ...victim, partnerId: partner.agentId, conversationId: conversation.id, attachmentId };
}

function outcomeOf(reply: { isError: boolean; text: string }): string {
  return reply.isError ? JSON.parse(reply.text).error.code : 'ok';
}

describe.each(TOOL_NAMES)('%s', (tool) => {
  const credentialArgument = TOOLS[tool].audience === 'coordinator' ? 'coordinator_token' : 'session_token';
  let victim: Victim;
  beforeAll(async () => {
    victim = await makeVictim();
  });

  function tokenOf(caller: Caller): string | undefined {
    if (caller !== 'right caller') return others[caller];
    return TOOLS[tool].audience === 'coordinator' ? COORDINATOR_TOKEN : victim.ticket;
  }

  // The allowed caller comes last, because it may end what the other callers were refused.
  test.each(CALLERS)('%s', async (caller) => {
    const args = ARGUMENTS[tool](victim);
    const token = tokenOf(caller);
    const expected = EXPECTED[tool][caller];
    const replies = [await callTool(server.mcpUrl, tool, args, token)];
    const endsItself = tool === 'logout' && expected === 'ok';
    if (token !== undefined && !endsItself)
      replies.push(await callTool(server.mcpUrl, tool, { ...args, [credentialArgument]: token }));
    expect(replies.map(outcomeOf)).toEqual(replies.map(() => expected));
    const isOurs = caller === 'right caller' || (caller === 'coordinator' && expected === 'ok');
    if (!isOurs) for (const reply of replies) expect(reply.text).not.toContain(MARKER);
    if (tool === 'logout' && caller === "another project's agent") others[caller] = await signedInElsewhere();
  });
});

test('the table names every tool that the server has', async () => {
  const client = await world.connect(server, COORDINATOR_TOKEN);
  const served = (await client.listTools()).map(({ name }) => name);
  expect(served.sort()).toEqual(Object.keys(EXPECTED).sort());
});
