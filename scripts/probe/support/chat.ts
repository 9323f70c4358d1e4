import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messagePageSchema, messageSchema } from '@aizuchi/shared/contract/chat';
import type { MembershipKey } from '@aizuchi/shared/contract/run';
import { type Run, runPageSchema } from '@aizuchi/shared/contract/run';
import { z } from 'zod';
import { until } from '../../../tests/e2e/start/product-process.ts';
import { chatOf, type World } from '../world.ts';

export async function post(world: World, membership: MembershipKey, content: string): Promise<string> {
  return (await world.owner.get(messageSchema, 'POST', `${chatOf(membership)}/messages`, { content })).id;
}

/**
 * A project with a built-in agent that has answered once, so that its folder belongs to the agents and its transcript
 * exists.
 */
export async function talkingPair(
  world: World,
): Promise<MembershipKey & { folder: string; transcript: string }> {
  const project = await world.makeProject();
  const { id: agentId } = await world.makeAgent(project.id);
  const membership = { projectId: project.id, agentId };
  await untilAnswered(world, membership, await post(world, membership, 'The first word'));
  return { ...membership, folder: project.folder, transcript: transcriptIn(project.folder, agentId) };
}

function transcriptIn(folder: string, agentId: string): string {
  return join(folder, '.ai-pm', 'agents', agentId, 'chat.jsonl');
}

async function untilAnswered(
  world: World,
  membership: MembershipKey,
  id: string,
  timeoutMs = 40_000,
): Promise<void> {
  await until(async () => {
    const { messages } = await world.owner.get(
      messagePageSchema,
      'GET',
      `${chatOf(membership)}/messages?limit=200`,
    );
    return messages.find((message) => message.id === id)?.state === 'answered';
  }, timeoutMs).catch(() => {
    throw new Error('the agent did not answer');
  });
}

/** The newest run of a project as soon as it fits; undefined if none does in time. */
export async function untilRun(
  world: World,
  projectId: string,
  isWanted: (run: Run) => boolean,
  timeoutMs = 30_000,
): Promise<Run | undefined> {
  let found: Run | undefined;
  await until(async () => {
    const { runs } = await world.owner.get(runPageSchema, 'GET', `/projects/${projectId}/runs`);
    found = runs.find(isWanted);
    return found !== undefined;
  }, timeoutMs).catch(() => undefined);
  return found;
}

export async function idsIn(transcript: string): Promise<Set<string>> {
  const lines = (await readFile(transcript, 'utf8').catch(() => '')).split('\n').filter(Boolean);
  return new Set(
    lines.map((line) => z.looseObject({ id: z.string() }).safeParse(tryJson(line)).data?.id ?? ''),
  );
}

function tryJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

export async function chatFault(world: World, projectId: string): Promise<string | undefined> {
  const schema = z.looseObject({ chatLogFault: z.string().optional() });
  return (await world.owner.get(schema, 'GET', `/projects/${projectId}`)).chatLogFault;
}
