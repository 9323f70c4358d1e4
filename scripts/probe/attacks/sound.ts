import { type Attack, must, mustAll } from '../attack.ts';
import { ask } from '../support/ask.ts';
import { askMcp, callTool } from '../support/call-tool.ts';
import { Listener } from '../support/listener.ts';
import type { World } from '../world.ts';

type Tries = Record<string, () => Promise<void>>;

/** The limits of attempts may be reached by then: 429 counts as a refusal. */
const isRefusal = (status: number) => [401, 403, 429].includes(status);

async function csrf(world: World): Promise<Tries> {
  const person = await world.makePerson('member');
  const signedIn = await world.signIn(person.id, person.passkey, world.address(3));
  const other = await world.signIn(person.id, person.passkey, world.address(3));
  const { web } = world;
  const refused =
    (headers: Record<string, string>, path = '/api/auth/me', body?: object) =>
    async () => {
      const { status } = await ask(web, path, { headers, body });
      must(isRefusal(status), `answered ${status}`);
    };
  const { cookie } = signedIn;
  return {
    'cookie alone': refused({ cookie }),
    'cookie with an empty header': refused({ cookie, 'x-aizuchi-csrf': '' }),
    'cookie with a wrong header': refused({ cookie, 'x-aizuchi-csrf': 'x'.repeat(43) }),
    'cookie with the header of another sign-in': refused({ cookie, 'x-aizuchi-csrf': other.csrf }),
    'header without cookie': refused({ 'x-aizuchi-csrf': signedIn.csrf }),
    'a form that posts': refused(
      { cookie, 'content-type': 'text/plain', origin: 'http://example.com' },
      '/api/auth/tokens',
      { name: 'stolen' },
    ),
    'cookie and header from a foreign origin': refused({
      cookie,
      'x-aizuchi-csrf': signedIn.csrf,
      origin: 'http://example.com',
    }),
    'cookie as bearer': refused({ authorization: `Bearer ${cookie.split('=')[1]}` }),
    'the right membership': async () => {
      const { status } = await ask(web, '/api/auth/me', {
        headers: { cookie, 'x-aizuchi-csrf': signedIn.csrf },
      });
      must(status === 200, `answered ${status}`);
    },
  };
}

function origins(world: World): Tries {
  const { web, mcp, owner } = world;
  const headers = (more: Record<string, string>) => ({ authorization: `Bearer ${owner.token}`, ...more });
  const refused = (more: Record<string, string>) => async () => {
    const { status } = await ask(web, '/api/projects', { headers: headers(more) });
    must(status === 403, `answered ${status}`);
  };
  return {
    'a foreign Host at REST': refused({ host: 'example.com' }),
    'a Host that begins like ours': refused({ host: `${new URL(web).host}.example.com` }),
    'a foreign Origin at REST': refused({ origin: 'http://example.com' }),
    'Origin null at REST': refused({ origin: 'null' }),
    'an Origin on another port': refused({ origin: 'http://127.0.0.1:1' }),
    'a foreign Host at MCP': async () => {
      const { status } = await askMcp(mcp, 'tools/list', {}, { headers: { host: 'example.com' } });
      must(status === 403, `answered ${status}`);
    },
    'a foreign Origin at MCP': async () => {
      const { status } = await askMcp(mcp, 'tools/list', {}, { headers: { origin: 'http://example.com' } });
      must(status === 403, `answered ${status}`);
    },
    'a WebSocket from a foreign Origin': async () => {
      const listener = await Listener.open(web, headers({ origin: 'http://example.com' }));
      const { isOpen } = listener;
      listener.close();
      must(!isOpen, 'opened');
    },
  };
}

async function strangers(world: World): Promise<Tries> {
  const session = await world.makeSession();
  const { id: projectId } = await world.makeProject();
  const other = await world.makePerson('member', [projectId]);
  const { web, mcp, owner } = world;
  const hidden = (method: string, path: string, body?: object) => async () => {
    const { status } = await other.caller.ask(method, path, body);
    must(status === 404, `answered ${status}`);
  };
  const chat = `/projects/${session.id}/agents/${session.agent.id}/chat`;
  return {
    "an agent's token at REST": async () => {
      const { status } = await ask(web, '/api/projects', { token: session.token });
      must(isRefusal(status), `answered ${status}`);
    },
    "a person's token at MCP": async () => {
      const { isError } = await callTool(mcp, 'list_tasks', {}, { token: owner.token });
      must(isError, 'answered');
    },
    "a person's token as session_token": async () => {
      const { isError } = await callTool(mcp, 'list_tasks', { session_token: owner.token });
      must(isError, 'answered');
    },
    "an agent's token at the Coordinator's tools": async () => {
      const { isError } = await callTool(
        mcp,
        'list_active_projects_with_agents',
        {},
        { token: session.token },
      );
      must(isError, 'answered');
    },
    "another project's page": hidden('GET', `/projects/${session.id}`),
    "another project's chat": hidden('GET', `${chat}/messages`),
    "a word in another project's chat": hidden('POST', `${chat}/messages`, { content: 'Hello' }),
    "another project's runs": hidden('GET', `/projects/${session.id}/runs`),
    'a member that makes an owner': async () => {
      const body = { name: 'Me', type: 'human', accessLevel: 'owner' };
      const { status } = await other.caller.ask('POST', '/agents', body);
      must(status === 403, `answered ${status}`);
    },
    'a member that promotes himself': async () => {
      const { status } = await other.caller.ask('PATCH', `/agents/${other.id}`, { accessLevel: 'owner' });
      must(status === 403, `answered ${status}`);
    },
    "another project's frames": async () => {
      const listener = await Listener.open(
        web,
        { authorization: `Bearer ${other.caller.token}` },
        session.id,
      );
      const frames = listener.frames.join();
      listener.close();
      must(!frames.includes('"subscribed"'), 'subscribed');
    },
  };
}

export const sound: readonly Attack[] = [
  {
    row: 0,
    name: 'CSRF, Host, Origin, tokens of others, other projects',
    limitMs: 50_000,
    pace: 'quiet',
    async run(world) {
      const tries = { ...(await csrf(world)), ...origins(world), ...(await strangers(world)) };
      await mustAll(tries);
      return `${Object.keys(tries).length} checks hold`;
    },
  },
];
