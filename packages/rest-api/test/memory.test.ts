import { request } from 'node:http';
import { storeState } from '@aizuchi/shared/core/memory/memory-store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RestWorld } from './rest-world.ts';

let world: RestWorld;
beforeAll(async () => {
  world = await RestWorld.create();
});
afterAll(() => world.close());

const line = (values: object) =>
  `${JSON.stringify({ createdAt: '2025-05-06T07:08:09.010Z', clientId: 'mika', ...values })}\n`;

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** A real request, whose next piece is written when the one before was taken; `ends` false: it never ends. */
async function send(
  path: string,
  pieces: Iterable<string>,
  { ends = true, to = world } = {},
): Promise<Answer | 'cut off'> {
  const { token } = await to.owner();
  const { promise, resolve } = Promise.withResolvers<Answer | 'cut off'>();
  const call = request(`${to.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'text/plain' },
  });
  call.on('error', () => resolve('cut off'));
  call.on('response', async (response) => {
    const text = Buffer.concat(await response.toArray()).toString();
    resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) });
  });
  const left = pieces[Symbol.iterator]();
  const next = () => {
    const piece = left.next();
    if (!piece.done) call.write(piece.value, next);
    else if (ends) call.end();
  };
  next();
  return promise;
}

/** Lines without an end, until a time is over. */
function* linesFor(ms: number): Generator<string> {
  const end = performance.now() + ms;
  for (let n = 0; performance.now() < end; n += 1) yield line({ userText: `${n} `.repeat(1_000) });
}

describe('import', () => {
  it('takes bodies larger than the limit of others, of any type', async () => {
    const { agentId } = await world.project();
    const owner = await world.owner();
    const body = Array.from({ length: 40 }, (_, n) =>
      line({ userText: 'x'.repeat(60_000), sourceRef: `r${n}` }),
    ).join('');
    const url = `/api/memory/${agentId}/import`;
    for (const type of ['application/x-ndjson', 'application/json', undefined]) {
      const headers = type === undefined ? {} : { 'content-type': type };
      const { status, body: result } = await world.call(owner, 'POST', url, undefined, {
        headers,
        payload: body,
      });
      expect(status).toBe(200);
      expect(result).toEqual(
        type === 'application/x-ndjson' ? { imported: 40, skipped: 0 } : { imported: 0, skipped: 40 },
      );
    }
    expect((await world.call(owner, 'POST', url)).body).toEqual({ imported: 0, skipped: 0 });
  });

  it('names the line that is not valid, and reads the rest so that its sender hears it', async () => {
    const { agentId } = await world.project();
    const rest = Array.from({ length: 30 }, () => 'x'.repeat(1_000_000));
    const answer = await send(`/api/memory/${agentId}/import`, [
      line({ userText: 'a' }),
      'broken\n',
      ...rest,
    ]);
    expect(answer).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_input', details: { line: 2, imported: 1, skipped: 0 } } },
    });
  });

  it('may take longer than any other request as long as something arrives', async () => {
    const edge = { requestMs: 3_000, headersMs: 2_900, checkMs: 20 };
    const to = await RestWorld.create({ edge });
    try {
      const { agentId } = await to.project();
      const answer = await send(`/api/memory/${agentId}/import`, linesFor(2 * edge.requestMs), { to });
      expect(answer).toMatchObject({ status: 200, body: { skipped: 0 } });
      expect(await send(`/api/memory/${agentId}/import`, [line({})], { to, ends: false })).toBe('cut off');
    } finally {
      await to.close();
    }
  });

  it('refuses before it reads', async () => {
    const { agentId, projectId } = await world.project();
    const viewer = await world.person('viewer', { projects: [projectId] });
    const url = `/api/memory/${agentId}/import?projectId=${projectId}`;
    const options = { payload: line({}), headers: { 'content-type': 'application/x-ndjson' } };
    expect((await world.call(undefined, 'POST', url, undefined, options)).status).toBe(401);
    expect((await world.call(viewer, 'POST', url, undefined, options)).status).toBe(403);
    const owner = await world.owner();
    expect((await world.call(owner, 'POST', '/api/memory/agt_none/import', undefined, options)).status).toBe(
      404,
    );
  });
});

it('lists, shows, corrects and deletes', async () => {
  const { agentId, projectId } = await world.project();
  const member = await world.person('member', { projects: [projectId] });
  const scope = `projectId=${projectId}`;
  const root = `/api/memory/${agentId}`;
  const { context } = world;
  await world.call(member, 'POST', `${root}/import?${scope}`, undefined, {
    payload: line({ userText: 'one', sourceRef: 's1' }) + line({ userText: 'two' }),
    headers: { 'content-type': 'application/x-ndjson' },
  });
  const list = await world.call(member, 'GET', `${root}/events?${scope}&limit=1`);
  expect(list.body).toMatchObject({ events: [{ userText: 'two', projectId, source: 'import' }] });
  const [event] = list.body.events;
  const next = await world.call(
    member,
    'GET',
    `${root}/events?${scope}&limit=1&cursor=${list.body.nextCursor}`,
  );
  expect(next.body).toMatchObject({ events: [{ userText: 'one', sourceRef: 's1' }], nextCursor: null });
  const shown = await world.call(member, 'GET', `${root}/events/${event.id}?${scope}`);
  expect(shown.body).toEqual({
    event,
    links: [],
    threads: [],
    affect: null,
    annotation: null,
    entities: [],
  });
  expect((await world.call(member, 'GET', `${root}/events/${event.id}`)).status).toBe(400);

  const stateId = await context.database.transaction((tx) =>
    storeState(tx, agentId, {
      projectId,
      kind: 'fact',
      bodyText: 'likes tea',
      at: new Date(),
      evidence: [event.id],
      reason: 'said so',
      madeBy: 'agent',
    }),
  );
  const states = await world.call(member, 'GET', `${root}/states?${scope}&kind=fact`);
  expect(states.body).toMatchObject({ states: [{ id: stateId, evidence: [event.id] }], nextCursor: null });
  const patched = await world.call(member, 'PATCH', `${root}/states/${stateId}?${scope}`, {
    payload: { a: 1 },
  });
  expect(patched.body).toMatchObject({ id: stateId, bodyText: 'likes tea', payload: { a: 1 } });
  expect(
    (await world.call(member, 'PATCH', `${root}/states/${stateId}?${scope}`, { kind: 'task' })).status,
  ).toBe(400);
  const revisions = await world.call(member, 'GET', `${root}/states/${stateId}/revisions?${scope}`);
  expect(revisions.body).toMatchObject({ revisions: [{ op: 'edit', madeBy: 'person' }, { op: 'upsert' }] });
  expect((await world.call(member, 'DELETE', `${root}/states/${stateId}?${scope}`)).status).toBe(204);
  expect((await world.call(member, 'DELETE', `${root}/states/${stateId}?${scope}`)).body.error.code).toBe(
    'state_not_found',
  );
  expect((await world.call(member, 'DELETE', `${root}/events/${event.id}?${scope}`)).status).toBe(204);
  expect((await world.call(member, 'GET', `${root}/events/${event.id}?${scope}`)).body.error.code).toBe(
    'event_not_found',
  );
  expect((await world.call(member, 'GET', `${root}/indexing?${scope}`)).body).toMatchObject({
    // Nothing has grown out of the other event yet.
    pendingJobs: 1,
    failedJobs: 0,
    embeddings: { pending: 0, failed: 0 },
  });
  expect((await world.call(member, 'DELETE', root)).status).toBe(400);
  expect((await world.call(member, 'DELETE', `${root}?${scope}`)).status).toBe(204);
  expect((await world.call(member, 'GET', `${root}/events?${scope}`)).body).toEqual({
    events: [],
    nextCursor: null,
  });
});
