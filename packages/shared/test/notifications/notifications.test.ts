import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Person } from '../../src/core/access/person.ts';
import { AnswerLinks } from '../../src/core/notifications/answer-links.ts';
import type { NotificationDeps } from '../../src/core/notifications/deps.ts';
import { NotificationKeys } from '../../src/core/notifications/notification-keys.ts';
import { nextDueAt, takeDispatches } from '../../src/core/notifications/notification-queries.ts';
import { NotificationService } from '../../src/core/notifications/notification-service.ts';
import { NotificationWorker } from '../../src/core/notifications/notification-worker.ts';
import { newId } from '../../src/platform/ids.ts';
import { hashToken } from '../../src/platform/token-hash.ts';
import { ServiceWorld } from '../../src/testing/service-world.ts';
import { ask, questionTimeout, workingAgent } from '../questions/question-support.ts';
import { bodyOf, PushBrowser, Receiver, signedAt, vapidClaims } from './receiver.ts';

let world: ServiceWorld;
let receiver: Receiver;
let deps: NotificationDeps;
let service: NotificationService;
let worker: NotificationWorker;

beforeAll(async () => {
  world = await ServiceWorld.create();
  receiver = await Receiver.start();
  deps = {
    ...world.deps,
    questions: world.questions,
    keys: new NotificationKeys('the token of this home'),
    outbound: { allowedHosts: [receiver.host] },
    publicUrl: 'https://aizuchi.example',
  };
  service = new NotificationService(deps);
  worker = new NotificationWorker(deps);
});
afterAll(async () => {
  await receiver.stop();
  await world.close();
});
beforeEach(async () => {
  // People of earlier tests are told nothing any more.
  await world.database.db.deleteFrom('notificationChannels').execute();
  receiver.received.length = 0;
  receiver.answers.length = 0;
});

/** A member of a project of its own, in which an agent works, with a webhook. */
async function told() {
  const { membership, caller } = await workingAgent(world);
  const id = `person_${newId('prj').slice(4, 12)}`;
  await world.agents.create(world.owner, { id, name: id, type: 'human', accessLevel: 'member' });
  await world.projects.putAgent(world.owner, { projectId: membership.projectId, agentId: id });
  const person: Person = { id, name: id, accessLevel: 'member' };
  const path = `/${id}`;
  const hook = await service.createChannel(
    person,
    { kind: 'webhook', name: 'Hook', url: `${receiver.url}${path}` },
    undefined,
  );
  return { membership, caller, person, path, hook };
}

async function after(seconds: number): Promise<void> {
  world.clock.advance(seconds * 1_000);
  await worker.runOnce();
}

it('a question is told once, signed, after five seconds, and what is answered by then is not', async () => {
  await world.clock.frozen(async () => {
    const { membership, caller, person, path, hook } = await told();
    const { toolUseId } = await world.questions.ask(caller, { questions: ask('Which way?') });
    await after(0);
    await after(4);
    expect(receiver.at(path)).toEqual([]);
    await after(1);
    await after(60);
    const [call, ...more] = receiver.at(path);
    expect(more).toEqual([]);
    expect(bodyOf(call)).toMatchObject({
      category: 'question',
      title: 'Which way?',
      body: expect.stringContaining('が聞いています'),
      project: { id: membership.projectId, name: 'Test' },
      agent: { id: membership.agentId },
      url: `https://aizuchi.example/projects/${membership.projectId}?agent=${membership.agentId}&question=${toolUseId}`,
      question: { toolUseId, options: ['A', 'B'] },
    });
    expect(call && signedAt(call, hook.secret ?? '')).toBeDefined();
    expect(call && signedAt(call, 'another secret')).toBeUndefined();
    await world.questions.answer(person, toolUseId, { 0: '0' });
    const second = await world.questions.ask(caller, { questions: ask('And now?') });
    await after(0);
    await after(4);
    await world.questions.answer(person, second.toolUseId, { 0: '0' });
    await after(60);
    expect(receiver.at(path)).toHaveLength(1);
  });
});

it('a browser can read what it is sent, and is deleted when it is gone', async () => {
  const { caller, person } = await told();
  const browser = new PushBrowser();
  const token = 'the bearer of this sign-in';
  await world.database.db
    .insertInto('accessTokens')
    .values({ id: newId('tok'), agentId: person.id, kind: 'login', tokenHash: hashToken(token) })
    .execute();
  const endpoint = `${receiver.url}/push/${person.id}`;
  await service.createChannel(
    person,
    { kind: 'web_push', name: 'Browser', endpoint, keys: browser.keys },
    token,
  );
  const { toolUseId } = await world.questions.ask(caller, { questions: ask('Which way?') });
  await after(0);
  await world.clock.frozen(async () => {
    await after(5);
    const [, channel] = (await service.get(person)).channels;
    await expect(service.test(person, channel?.id ?? '')).rejects.toMatchObject({ code: 'rate_limited' });
  });
  const [pushed] = receiver.at(`/push/${person.id}`);
  expect(pushed?.headers).toMatchObject({ 'content-encoding': 'aes128gcm', urgency: 'high', ttl: '43200' });
  const { publicKey } = deps.keys.vapid;
  expect(vapidClaims(String(pushed?.headers.authorization), publicKey)).toMatchObject({ aud: receiver.url });
  expect(JSON.parse(browser.decrypt(pushed?.body ?? Buffer.alloc(0)))).toMatchObject({
    tag: toolUseId,
    title: 'Which way?',
    question: { toolUseId, options: ['A', 'B'] },
  });
  const [, channel] = (await service.get(person)).channels;
  expect(channel).toMatchObject({ kind: 'web_push', address: receiver.host, lastSentAt: expect.any(String) });
  world.clock.advance(2_000);
  receiver.answers.push(410);
  expect(await service.test(person, channel?.id ?? '')).toEqual({ sent: false, failure: 'gone' });
  expect((await service.get(person)).channels.map(({ kind }) => kind)).toEqual(['webhook']);
});

it('ntfy gets a button for each option, and its link answers the card once', async () => {
  const { caller, person, hook } = await told();
  await service.updateChannel(person, hook.id, { isOn: false });
  const server = `${receiver.url}/`;
  await service.createChannel(
    person,
    { kind: 'ntfy', name: 'Phone', server, topic: person.id, token: 'tk_secret' },
    undefined,
  );
  const { toolUseId } = await world.questions.ask(caller, { questions: ask('Which way?') });
  await after(0);
  await after(5);
  const published = receiver.received.at(-1);
  expect(published).toMatchObject({ path: '/', headers: { authorization: 'Bearer tk_secret' } });
  expect(bodyOf(published)).toMatchObject({
    topic: person.id,
    priority: 4,
    actions: [
      { action: 'view', label: 'A' },
      { label: 'B', url: expect.stringMatching(/^https:\/\/aizuchi\.example\/answer#.+\.1$/) },
    ],
  });
  const { channels } = await service.get(person);
  const token = deps.keys.linkToken(toolUseId, channels[1]?.id ?? '');
  expect(published?.body.toString()).toContain(token);
  const links = new AnswerLinks(deps);
  expect(await links.look(token)).toMatchObject({ question: 'Which way?', project: 'Test' });
  await expect(links.look(`${token}x`)).rejects.toMatchObject({ code: 'answer_link_not_found' });
  await links.answer(token, 1);
  expect((await world.questions.byIds([toolUseId])).get(toolUseId)).toMatchObject({
    status: 'answered',
    answers: { 0: '1' },
    answeredBy: person.id,
  });
  await expect(links.answer(token, 0)).rejects.toMatchObject({ code: 'answer_link_not_found' });
});

it('who looks at the project is told only after leaving it', async () => {
  const { membership, caller, person, path } = await told();
  const { projectId } = membership;
  await world.questions.ask(caller, { questions: ask('Which way?') });
  await service.noteAttention(person, { viewerId: 'tab', place: { projectId } });
  await after(0);
  await after(20);
  await service.noteAttention(person, { viewerId: 'tab', place: { projectId: null } });
  await after(20);
  expect(receiver.at(path)).toEqual([]);
  await service.noteAttention(person, { viewerId: 'tab', place: null });
  await after(20);
  expect(receiver.at(path)).toHaveLength(1);
});

it('in quiet hours what is not urgent waits for their end', async () => {
  const { caller, person, path } = await told();
  const minutes = world.clock.now().getUTCHours() * 60 + world.clock.now().getUTCMinutes();
  const to = (minutes + 60) % 1_440;
  await service.updateSettings(person, {
    timeZone: 'UTC',
    quiet: { from: minutes, to, days: [0, 1, 2, 3, 4, 5, 6] },
    rules: { question: { sends: true, inQuiet: false } },
  });
  await world.questions.ask(caller, { questions: ask('Which way?') });
  await after(0);
  await after(20);
  expect(receiver.at(path)).toEqual([]);
  await service.updateSettings(person, { quiet: null });
  await questionTimeout(world, 0);
  await after(3_600);
  expect(receiver.at(path).map(({ body }) => JSON.parse(body.toString()).title)).toEqual(['Which way?']);
});

it('an attempt that failed is made again with the same id, until what it tells is over', async () => {
  const { caller, person, path } = await told();
  receiver.answers.push(503, 201, 500);
  const first = await world.questions.ask(caller, { questions: ask('Which way?') });
  await after(0);
  await after(5);
  expect((await service.get(person)).channels[0]).toMatchObject({ failure: 'server_error', isOn: true });
  await after(5);
  const ids = receiver.at(path).map(({ headers }) => headers['aizuchi-delivery']);
  expect(ids).toEqual([ids[0], ids[0]]);
  expect((await service.get(person)).channels[0]?.failure).toBeUndefined();
  await world.questions.answer(person, first.toolUseId, { 0: '0' });
  const second = await world.questions.ask(caller, { questions: ask('And now?') });
  await after(0);
  await after(5);
  await world.questions.answer(person, second.toolUseId, { 0: '0' });
  await after(60);
  expect(receiver.at(path)).toHaveLength(3);
});

it('a message that a process took and did not send is sent by another one, and by one only', async () => {
  const { caller, path } = await told();
  await world.questions.ask(caller, { questions: ask('Which way?') });
  receiver.answers.push(503);
  await after(0);
  await after(5);
  world.clock.advance(5_000);
  // As a process does that dies in the middle of the second attempt.
  const now = world.clock.now();
  expect(await takeDispatches(world.database.db, { now, leaseMs: 60_000, limit: 10 })).toHaveLength(1);
  await after(30);
  expect(receiver.at(path)).toHaveLength(1);
  world.clock.advance(31_000);
  await Promise.all([worker.runOnce(), new NotificationWorker(deps).runOnce()]);
  expect(receiver.at(path)).toHaveLength(2);
});

it('nothing is sent to private addresses, by no name, and no redirect is followed', async () => {
  const { person, hook, path } = await told();
  const create = (url: string) =>
    service.createChannel(person, { kind: 'webhook', name: 'Other', url }, undefined);
  for (const url of [
    'http://example.com/',
    'https://127.0.0.1/',
    'https://10.1.2.3/',
    'https://169.254.169.254/latest',
    'https://[::1]/',
    'https://[::ffff:192.168.0.1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://0x7f000001/',
  ])
    await expect(create(url), url).rejects.toMatchObject({ code: 'address_not_allowed' });
  const named = await create('https://localhost:1/');
  expect(await service.test(person, named.id)).toEqual({ sent: false, failure: 'address_not_allowed' });
  receiver.answers.push(302);
  expect(await service.test(person, hook.id)).toEqual({ sent: false, failure: 'refused' });
  expect(receiver.received.map((one) => one.path)).toEqual([path]);
});

it('what waited when the last channel was switched off keeps nothing awake and is not told later', async () => {
  const { caller, person, path, hook } = await told();
  await world.questions.ask(caller, { questions: ask('Which way?') });
  await after(0);
  expect(await nextDueAt(world.database.db)).not.toBeNull();
  await service.updateChannel(person, hook.id, { isOn: false });
  expect(await nextDueAt(world.database.db)).toBeNull();
  await after(60);
  await service.updateChannel(person, hook.id, { isOn: true });
  await after(0);
  await after(60);
  expect(receiver.at(path)).toEqual([]);
});

it('with hidden texts neither the question nor the agent can be read, not even in the address', async () => {
  const { membership, caller, person, path } = await told();
  await service.updateSettings(person, { hidesText: true });
  await world.questions.ask(caller, { questions: ask('Which way?') });
  await after(0);
  await after(5);
  const [call] = receiver.at(path);
  expect(bodyOf(call)).toMatchObject({ category: 'question', url: 'https://aizuchi.example/inbox' });
  const text = call?.body.toString() ?? '';
  expect(text).not.toContain('Which way?');
  expect(text).not.toContain(membership.agentId);
});

it('who was removed from the project, or whose sign-in is over, is told nothing', async () => {
  const { membership, caller, person, path } = await told();
  await world.questions.ask(caller, { questions: ask('Which way?') });
  await after(0);
  await world.projects.removeAgent(world.owner, { projectId: membership.projectId, agentId: person.id });
  await after(60);
  expect(receiver.at(path)).toEqual([]);
  const push = { endpoint: `${receiver.url}/push/${person.id}`, keys: new PushBrowser().keys };
  const { id } = await service.createChannel(
    person,
    { kind: 'web_push', name: 'Old', ...push },
    'a bearer that was revoked',
  );
  expect(await service.test(person, id)).toEqual({ sent: false, failure: 'signed_out' });
  expect(receiver.at(`/push/${person.id}`)).toEqual([]);
});
