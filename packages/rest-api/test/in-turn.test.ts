import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MAX_WAITING } from '../src/plugins/in-turn.ts';
import { type Caller, RestWorld } from './rest-world.ts';

let world: RestWorld;
let owner: Caller;
beforeAll(async () => {
  world = await RestWorld.create();
  owner = await world.owner();
});
afterAll(() => world.close());

const messagesOf = (membership: { projectId: string; agentId: string }) =>
  `/api/projects/${membership.projectId}/agents/${membership.agentId}/chat/messages`;

function postText(path: string, caller: Caller, content: string): string {
  const body = JSON.stringify({ content });
  return [
    `POST ${path} HTTP/1.1`,
    `host: 127.0.0.1:${world.port}`,
    `authorization: Bearer ${caller.token}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n');
}

/** The caller with this token is not identified before `release()`. */
function holdCaller(token: string) {
  const asked = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const { auth } = world.context;
  const identify = auth.identify.bind(auth);
  auth.identify = async (given, csrf) => {
    if (given === token) {
      asked.resolve();
      await released.promise;
    }
    return identify(given, csrf);
  };
  return { asked: asked.promise, release: released.resolve };
}

async function heard(socket: Socket, answers: number): Promise<string> {
  let text = '';
  while (text.split('HTTP/1.1 ').length <= answers) text += (await once(socket, 'data'))[0];
  return text;
}

test('two posts on one connection keep their order when the second is sent before the first is acknowledged', async () => {
  const [membership, other] = [await world.project(), await world.project()];
  const slow = await world.tokenFor(owner);
  const { asked, release } = holdCaller(slow.token);
  const socket = connect(world.port, '127.0.0.1');
  const answers = heard(socket, 2);
  socket.write(
    postText(messagesOf(membership), slow, 'first') + postText(messagesOf(membership), owner, 'second'),
  );
  await asked;
  // This one is sent later on another connection and is stored: the second post would be stored by now, too.
  expect((await world.call(owner, 'POST', messagesOf(other), { content: 'x' })).status).toBe(201);
  release();
  expect((await answers).match(/HTTP\/1\.1 201/g)).toHaveLength(2);
  socket.destroy();
  const { messages } = (await world.call(owner, 'GET', messagesOf(membership))).body;
  const contents = messages.map(({ content }: { content: string }) => content);
  expect(contents.filter((content: string) => /first|second/.test(content))).toEqual(['first', 'second']);
});

test('a connection that sends too many requests without waiting is closed, and none of its posts is stored', async () => {
  const slow = await world.tokenFor(owner);
  const membership = await world.project();
  const { asked, release } = holdCaller(slow.token);
  const socket = connect(world.port, '127.0.0.1');
  const closed = once(socket, 'close');
  socket.on('error', () => undefined);
  socket.write(postText(messagesOf(membership), slow, 'first'));
  await asked;
  for (let sent = 0; sent <= MAX_WAITING; sent += 1)
    socket.write(postText(messagesOf(membership), owner, `flood ${sent}`));
  await closed;
  release();
  // A post on another connection, sent after anything that these could still have caused.
  expect((await world.call(owner, 'POST', messagesOf(membership), { content: 'x' })).status).toBe(201);
  const { messages } = (await world.call(owner, 'GET', messagesOf(membership))).body;
  expect(messages.filter(({ content }: { content: string }) => content.startsWith('flood'))).toEqual([]);
});
