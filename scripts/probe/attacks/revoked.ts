import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { until } from '../../../tests/e2e/start/product-process.ts';
import { type Attack, must, mustAll } from '../attack.ts';
import { callTool } from '../support/call-tool.ts';
import { post } from '../support/chat.ts';
import { Listener } from '../support/listener.ts';
import type { World } from '../world.ts';

const sessions: Attack = {
  row: 10,
  name: "an agent's session after its membership, agent, project or passkey is gone",
  limitMs: 58_000,
  pace: 'quiet',
  async run(world) {
    const ways: Record<string, (ids: { pid: string; aid: string }) => [method: string, path: string]> = {
      'membership removed': ({ pid, aid }) => ['DELETE', `/projects/${pid}/agents/${aid}`],
      'agent deleted': ({ aid }) => ['DELETE', `/agents/${aid}`],
      'project deleted': ({ pid }) => ['DELETE', `/projects/${pid}`],
      'passkey deleted': ({ aid }) => ['DELETE', `/agents/${aid}/passkey`],
    };
    const tries = Object.entries(ways).map(([name, way]) => [name, () => tryRevoked(world, way)] as const);
    await mustAll(Object.fromEntries(tries));
    return `refused from the next call on: ${Object.keys(ways).join(', ')}`;
  },
};

async function tryRevoked(
  world: World,
  way: (ids: { pid: string; aid: string }) => [method: string, path: string],
): Promise<void> {
  const { id: pid, agent, token } = await world.makeSession();
  await post(world, { projectId: pid, agentId: agent.id }, 'Are you there?');
  const before = await callTool(world.mcp, 'list_tasks', {}, { token });
  if (before.isError) throw new Error(`the session did not work before: ${before.text}`);
  await world.owner.send(...way({ pid, aid: agent.id }));
  const calls: [tool: string, args: Record<string, unknown>][] = [
    ['respond_chat', { content: 'still here' }],
    ['send_message', { target_agent_id: 'user', content: 'still here' }],
    ['list_tasks', {}],
    ['list_project_agents', {}],
    ['get_pending_messages', {}],
  ];
  const through: string[] = [];
  for (const [tool, args] of calls) {
    const answer = await callTool(world.mcp, tool, args, { token });
    if (!answer.isError) through.push(tool);
  }
  must(through.length === 0, `still answered: ${through.join(', ')}`);
}

const socket: Attack = {
  row: 10,
  name: "a person's socket after the membership is gone",
  limitMs: 30_000,
  pace: 'quiet',
  async run(world) {
    const { id: projectId } = await world.makeProject();
    const { id: agentId } = await world.makeAgent(projectId);
    const person = await world.makePerson('member', [projectId]);
    const listener = await Listener.open(
      world.web,
      { authorization: `Bearer ${person.caller.token}` },
      projectId,
    );
    if (!listener.isOpen) throw new Error(`the socket was closed with ${listener.closedWith}`);
    await post(world, { projectId, agentId }, 'heard');
    await until(() => listener.frames.some((frame) => frame.includes('"heard"')), 10_000);
    await world.owner.send('DELETE', `/projects/${projectId}/agents/${person.id}`);
    await post(world, { projectId, agentId }, 'a secret');
    await sleep(2_000);
    const heard = listener.frames.filter((frame) => frame.includes('"a secret"')).length;
    listener.close();
    must(heard === 0, 'it heard a message that was written after the membership was removed');
    return 'it hears nothing of the project any more';
  },
};

const reset: Attack = {
  row: 11,
  name: "a person's tokens and socket after the passkey is reset or deleted",
  limitMs: 40_000,
  pace: 'quiet',
  async run(world) {
    await mustAll({
      reset: () => endsWith(world, 'POST'),
      deleted: () => endsWith(world, 'DELETE'),
    });
    return 'the sign-in, the API token and the socket end';
  },
};

async function endsWith(world: World, method: 'POST' | 'DELETE'): Promise<void> {
  const { id: projectId } = await world.makeProject();
  const person = await world.makePerson('member', [projectId]);
  const created = z.object({ token: z.string() });
  const { token } = await person.caller.get(created, 'POST', '/auth/tokens', { name: 'probe' });
  const listener = await Listener.open(world.web, { authorization: `Bearer ${token}` }, projectId);
  await world.owner.send(method, `/agents/${person.id}/passkey`, method === 'POST' ? {} : undefined);
  const over: Record<string, () => Promise<boolean>> = {
    'the sign-in': async () => (await person.caller.ask('GET', '/auth/me')).status === 401,
    'the API token': async () =>
      (await person.caller.ask('GET', '/auth/me', undefined, { token })).status === 401,
    'the socket': async () => !listener.isOpen,
  };
  const living: string[] = [];
  const deadline = performance.now() + 2_000;
  for (const [what, isOver] of Object.entries(over))
    await until(isOver, Math.max(1, deadline - performance.now())).catch(() => living.push(what));
  listener.close();
  must(living.length === 0, `after 2 s lives ${living.join(', ')}`);
}

export const revoked: readonly Attack[] = [sessions, socket, reset];
