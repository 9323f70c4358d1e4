import { memorySearchSchema } from '@aizuchi/shared/contract/memory';
import { storeEvents } from '@aizuchi/shared/core/memory/memory-store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Caller, RestWorld } from './rest-world.ts';

let world: RestWorld;
let owner: Caller;
beforeAll(async () => {
  world = await RestWorld.create({ isRemembering: true });
  owner = await world.owner();
});
afterAll(() => world.close());

/** An agent that was told something in its project, in another one, and in general. */
async function told() {
  const { projectId, agentId } = await world.project();
  const other = await world.project();
  await world.call(owner, 'PUT', `/api/projects/${other.projectId}/agents/${agentId}`);
  const common = { clientId: 'c', threadId: 't', source: 'chat', assistantState: 'complete' } as const;
  const createdAt = new Date('2026-01-02T03:04:05.678Z');
  await world.context.database.transaction((tx) =>
    storeEvents(tx, agentId, [
      { ...common, projectId, userText: 'the cat here', sourceRef: 'here', createdAt },
      { ...common, projectId: other.projectId, userText: 'the cat there', threadId: 'u', createdAt },
      { ...common, projectId: null, userText: 'the cat everywhere', threadId: 'v', createdAt },
    ]),
  );
  return { projectId, agentId, other: other.projectId };
}

async function search(caller: Caller, agentId: string, body: object) {
  const answer = await world.call(caller, 'POST', `/api/memory/${agentId}/search`, body);
  expect(answer.status).toBe(200);
  return memorySearchSchema.parse(answer.body);
}

const textsOf = ({ items }: { items: readonly { text: string }[] }) =>
  items.map(({ text }) => text).toSorted();

describe('search', () => {
  it('sees the project and what is general; an owner without project sees everything', async () => {
    const { agentId, projectId } = await told();
    const here = await search(owner, agentId, { query: 'cat', projectId });
    expect(textsOf(here)).toEqual([expect.stringContaining('everywhere'), expect.stringContaining('here')]);
    expect(here.items.flatMap(({ sourceRefs }) => sourceRefs)).toEqual(['here']);
    expect(here.degraded).toEqual(['no_embedding']);
    expect((await search(owner, agentId, { query: 'cat' })).items).toHaveLength(3);
    expect((await search(owner, agentId, { query: 'cat', asOf: '2026-01-02T03:04:05Z' })).items).toEqual([]);
  });

  it('needs a project of the caller, and an agent that has a memory there', async () => {
    const { agentId, projectId, other } = await told();
    const member = await world.person('member', { projects: [projectId] });
    expect((await search(member, agentId, { query: 'cat', projectId })).items).toHaveLength(2);
    const codeOf = async (body: object, aid = agentId) => {
      const answer = await world.call(member, 'POST', `/api/memory/${aid}/search`, body);
      return [answer.status, answer.body];
    };
    const refused = (code: string) => ({ error: expect.objectContaining({ code }) });
    expect(await codeOf({ query: 'cat' })).toEqual([400, refused('invalid_input')]);
    expect(await codeOf({ query: 'cat', projectId: other })).toEqual([404, refused('project_not_found')]);
    expect(await codeOf({ query: 'cat', projectId }, 'agt_unknown')).toEqual([
      404,
      refused('agent_not_found'),
    ]);
    expect(await codeOf({ query: 'cat', projectId }, member.id)).toEqual([422, refused('agent_is_human')]);
    for (const body of [{ projectId }, { query: '', projectId }, { query: 'cat', projectId, limit: 101 }])
      expect(await codeOf(body)).toEqual([400, refused('invalid_input')]);
  });
});

describe('the run of a search', () => {
  it('is shown to those who see what it was made for', async () => {
    const { agentId, projectId } = await told();
    const member = await world.person('member', { projects: [projectId] });
    const { runId } = await search(member, agentId, { query: 'cat', projectId });
    const wide = await search(owner, agentId, { query: 'cat' });
    const url = (id: string, query = `?projectId=${projectId}`) =>
      `/api/memory/${agentId}/retrieval-runs/${id}${query}`;
    expect((await world.call(member, 'GET', url(runId))).body).toMatchObject({
      id: runId,
      eventId: null,
      planSource: 'rules',
      selectedSource: 'rank',
      errors: {},
    });
    expect(await world.call(owner, 'GET', url(wide.runId, ''))).toMatchObject({ status: 200 });
    for (const id of [wide.runId, 'ret_unknown'])
      expect(await world.call(member, 'GET', url(id))).toMatchObject({
        status: 404,
        body: { error: { code: 'retrieval_run_not_found' } },
      });
  });
});

it('without the memory service a search is 503 with Retry-After, and past runs are still shown', async () => {
  const { agentId, projectId } = await told();
  const { runId } = await search(owner, agentId, { query: 'cat', projectId });
  const process = await world.second({ config: { memoryUrl: 'http://127.0.0.1:9' } });
  const call = (method: string, path: string, body?: object) =>
    fetch(`http://127.0.0.1:${process.port}/api/memory/${agentId}${path}`, {
      method,
      headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
  try {
    const answer = await call('POST', '/search', { query: 'cat', projectId });
    expect([answer.status, answer.headers.get('retry-after'), await answer.json()]).toEqual([
      503,
      '2',
      { error: { code: 'unavailable', message: expect.any(String) } },
    ]);
    expect((await call('GET', `/retrieval-runs/${runId}?projectId=${projectId}`)).status).toBe(200);
  } finally {
    await process.stop();
  }
});
