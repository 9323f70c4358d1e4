import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MembershipKey } from '@aizuchi/shared/contract/run';
import { z } from 'zod';
import { type Answer, jsonOf } from '../support/ask.ts';
import { callTool } from '../support/call-tool.ts';
import { post, untilRun } from '../support/chat.ts';
import type { World } from '../world.ts';
import type { Call, Ids } from './templates.ts';

interface FuzzCaller {
  readonly name: string;
  readonly token?: string;
}

/** The callers, and the ids that calls can use. */
export interface Cast {
  readonly ids: Ids;
  callerOf(call: Call, choice: number): FuzzCaller;
  /** Registers what a call has created, to remove it at the end. */
  remember(call: Call, answer: Answer): void;
  /** Signs in again the agents that a call has signed out. */
  restore(): Promise<void>;
}

const made = z.looseObject({ id: z.string() });

async function scheduleOf(world: World, { projectId, agentId }: MembershipKey): Promise<string> {
  const body = { agentId, cron: '0 0 1 1 *', prompt: 'A happy new year', enabled: false };
  return (await world.owner.get(made, 'POST', `/projects/${projectId}/schedules`, body)).id;
}

/** Creates a conversation, for which the partner is started, with its run, a card and an approval of the same id. */
async function talkOf(world: World, { projectId }: MembershipKey, token: string): Promise<string[]> {
  const partner = await world.makeAgent(projectId);
  const args = { participant_agent_id: partner.id, initial_message: 'Hello' };
  const begun = await callTool(world.mcp, 'start_conversation', args, { token });
  const { conversation_id } = z.object({ conversation_id: z.string() }).parse(begun.result);
  const toolUseId = `toolu_probe_${world.word()}`;
  const options = [{ label: 'Yes' }, { label: 'No' }];
  const questions = [{ question: 'Really?', header: 'Really', options }];
  const asked = await callTool(
    world.mcp,
    'ask_user_question',
    { questions, tool_use_id: toolUseId, hold_seconds: 0 },
    { token },
  );
  if (asked.isError) throw new Error(`no card: ${asked.text}`);
  const request = { tool: 'Bash', summary: 'Really run it', input: { command: 'ls' } };
  const requested = await callTool(
    world.mcp,
    'request_approval',
    { ...request, tool_use_id: toolUseId, hold_seconds: 0 },
    { token },
  );
  if (requested.isError) throw new Error(`no approval: ${requested.text}`);
  const run = await untilRun(world, projectId, () => true);
  return [partner.id, conversation_id, toolUseId, ...(run ? [run.id] : [])];
}

const COORDINATORS_TOOL =
  /^(health_check|list_active_|wait_for_agent_|get_agent_action|report_process_|report_agent_)/;

/** The Coordinator's token is known only for a product of our own. */
async function coordinatorOf({ host }: World): Promise<FuzzCaller | undefined> {
  if (!host) return undefined;
  const token = await readFile(join(host.home, 'secrets', 'coordinator-token'), 'utf8').catch(
    () => undefined,
  );
  return token === undefined ? undefined : { name: 'Coordinator', token: token.trim() };
}

/** Calls use only what the probe has created, not the owner of the installation or other data of it. */
export async function makeCast(world: World): Promise<Cast> {
  const session = await world.makeSession();
  const foreign = await world.makeSession();
  const owner = await world.makePerson('owner', [session.id]);
  const member = await world.makePerson('member', [session.id]);
  const viewer = await world.makePerson('viewer', [session.id]);
  const spare: string[] = [];
  for (let n = 0; n < 4; n += 1) {
    const { id } = await world.makeProject();
    spare.push(id, (await world.makeAgent(id, { credential: false })).id);
  }
  const membership = { projectId: session.id, agentId: session.agent.id };
  const messages = [await post(world, membership, 'Hello'), await post(world, membership, 'Hello again')];
  const task = await world.owner.get(made, 'POST', `/projects/${session.id}/tasks`, { title: 'A task' });
  const spareTask = await world.owner.get(made, 'POST', `/projects/${session.id}/tasks`, {
    title: 'Another one',
  });
  spare.push(spareTask.id, await scheduleOf(world, membership));
  const kept = [session.id, session.agent.id, foreign.id, foreign.agent.id, member.id, task.id, ...messages];
  kept.push(...(await talkOf(world, membership, session.token)));
  let token = session.token;
  const rest: (() => FuzzCaller)[] = [
    ...Array.from({ length: 4 }, () => () => ({ name: 'owner', token: owner.caller.token })),
    ...Array.from({ length: 3 }, () => () => ({ name: 'member', token: member.caller.token })),
    () => ({ name: 'viewer', token: viewer.caller.token }),
    () => ({ name: 'agent', token }),
    () => ({ name: 'nobody' }),
  ];
  const tools: (() => FuzzCaller)[] = [
    ...Array.from({ length: 6 }, () => () => ({ name: 'agent', token })),
    () => ({ name: 'another agent', token: foreign.token }),
    () => ({ name: 'owner', token: owner.caller.token }),
    () => ({ name: 'nobody' }),
  ];
  const coordinator = await coordinatorOf(world);
  return {
    ids: { spare, kept },
    callerOf({ kind, operation }, choice) {
      if (coordinator && COORDINATORS_TOOL.test(operation) && choice % 4 > 0) return coordinator;
      const among = kind === 'rest' ? rest : tools;
      return among[choice % among.length]?.() ?? { name: 'nobody' };
    },
    remember(call, { status, text }) {
      if (status !== 201) return;
      const id = made.safeParse(jsonOf({ text })).data?.id;
      if (id === undefined) return;
      if (call.operation === 'createProject') world.remember(`/projects/${id}`);
      if (call.operation === 'createAgent') world.remember(`/agents/${id}`);
    },
    async restore() {
      const { isError } = await callTool(world.mcp, 'get_my_profile', {}, { token });
      if (isError) token = await world.authenticate(session.agent, session.id);
    },
  };
}
