import { TOOL_NAMES } from '@aizuchi/shared/contract/tools/tools';
import {
  isWorkspaceTool,
  WORKSPACE_TEXTS,
  workspaceAddress,
} from '@aizuchi/shared/contract/tools/workspace-tools';
import { afterEach, describe, expect, test } from 'vitest';
import { CLIENT_KINDS, type ClientKind, connectClient } from './testing/clients.ts';
import { FakeServices } from './testing/fake-services.ts';
import { COORDINATOR_TOKEN, startTestApp } from './testing/test-app.ts';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function connect(kind: ClientKind, bearer: string, services = new FakeServices()) {
  const app = await startTestApp(services);
  stops.push(app.stop);
  const client = await connectClient(kind, workspaceAddress(app.mcpUrl), bearer);
  stops.push(client.close);
  return client;
}

const OFFERED = [
  'send_message',
  'get_attachment',
  'ask_user_question',
  'request_vision',
  'start_conversation',
  'end_conversation',
  'get_conversation_messages',
  'list_project_agents',
  'list_tasks',
  'get_task',
  'create_task',
  'update_task_status',
  'propose_subtasks',
  'recall',
  'remember',
  'get_my_profile',
].sort();

const OF_TASKS = ['get_my_task', 'save_context', 'report_completed'];

describe.each(CLIENT_KINDS)('the tools of a model inside our runner, %s', (kind) => {
  test('are listed alone, with texts that name no other tool', async () => {
    const client = await connect(kind, 'ses_1');
    const listed = await client.listTools();
    expect(listed.map(({ name }) => name).sort()).toEqual(OFFERED);
    const others = TOOL_NAMES.filter((name) => !isWorkspaceTool(name) && name.includes('_'));
    for (const { name, description } of listed)
      expect(description, name).not.toMatch(new RegExp(`\\b(?:${others.join('|')})\\b`));
  });

  test('of a session that works on a task: those of its task too', async () => {
    const services = new FakeServices();
    services.purpose = 'task';
    const listed = await (await connect(kind, 'ses_1', services)).listTools();
    expect(listed.map(({ name }) => name).sort()).toEqual([...OFFERED, ...OF_TASKS].sort());
  });

  test('work as ever, and are authorised as ever', async () => {
    const client = await connect(kind, 'ses_1');
    expect(await client.call('list_tasks')).toMatchObject({ isError: false });
    const stranger = await connect(kind, 'nobody');
    expect((await stranger.call('list_tasks')).text).toContain('unauthenticated');
  });

  test.each(['authenticate', 'get_next_action', 'respond_chat', 'heartbeat', 'logout'])(
    '%s does not exist there',
    async (tool) => {
      const client = await connect(kind, 'ses_1');
      await expect(client.call(tool)).rejects.toThrow(`Tool ${tool} not found`);
    },
  );

  test('those of a Coordinator do not exist there either', async () => {
    const client = await connect(kind, COORDINATOR_TOKEN);
    await expect(client.call('health_check')).rejects.toThrow('Tool health_check not found');
  });
});

test('a text of its own is for a tool that a model has', () => {
  expect(Object.keys(WORKSPACE_TEXTS).filter((name) => !isWorkspaceTool(name))).toEqual([]);
});
