import { type Attack, must, mustAll } from '../attack.ts';
import { ask } from '../support/ask.ts';
import { callTool } from '../support/call-tool.ts';
import { hostOf, sendRaw } from '../support/raw.ts';
import type { World } from '../world.ts';

/** JSON can hold it, UTF-8 cannot: stored, it would become another text. */
const LONE = '\ud800';

/** The same as a careless encoder writes it; not valid UTF-8. */
const LONE_BYTES = '\xed\xa0\x80';

async function sendBytes(world: World, path: string, body: string, method = 'POST'): Promise<number> {
  const head = [`${method} ${path} HTTP/1.1`, `Host: ${hostOf(world.web)}`, 'Content-Type: application/json'];
  const more = [
    `Authorization: Bearer ${world.owner.token}`,
    `Content-Length: ${body.length}`,
    'Connection: close',
  ];
  return (await sendRaw(world.web, [...head, ...more, '', body].join('\r\n'), world.address(16))).status;
}

export const surrogates: readonly Attack[] = [
  {
    row: 16,
    name: 'lone surrogates in passkeys, folders, names, messages',
    limitMs: 30_000,
    pace: 'quiet',
    async run(world) {
      const project = await world.makeProject();
      const { id: agentId } = await world.makeAgent(project.id);
      const person = await world.makePerson('member', [project.id]);
      const { owner } = world;
      const refused = (method: string, path: string, body: object) => async () => {
        const { status } = await owner.ask(method, path, body);
        if (status === 201 && path === '/projects')
          world.remember(`/projects/prj_probe_${project.id.slice(-6)}_lone`);
        must(status === 400, `answered ${status}`);
      };
      const passkey = `a long passkey ${LONE}`;
      const id = `prj_probe_${project.id.slice(-6)}_lone`;
      await mustAll({
        'sign-in': async () => {
          const body = { agentId: person.id, passkey };
          const { status } = await ask(world.web, '/api/auth/login', { body, from: world.address(16) });
          must(status === 400, `answered ${status}`);
        },
        'a sign-in in raw bytes': async () => {
          const body = `{"agentId":"${person.id}","passkey":"a long passkey ${LONE_BYTES}"}`;
          const status = await sendBytes(world, '/api/auth/login', body);
          must(status === 400, `answered ${status}`);
        },
        'a set passkey in raw bytes': async () => {
          const body = `{"passkey":"a long passkey ${LONE_BYTES}"}`;
          const status = await sendBytes(world, `/api/agents/${person.id}/passkey`, body);
          must(status === 400, `answered ${status}`);
        },
        'a folder in raw bytes': async () => {
          const body = `{"workingDirectory":"${project.folder}-${LONE_BYTES}"}`;
          const status = await sendBytes(world, `/api/projects/${project.id}`, body, 'PATCH');
          must(status === 400, `answered ${status}`);
        },
        'a set passkey': refused('POST', `/agents/${person.id}/passkey`, { passkey }),
        'a changed passkey': async () => {
          const body = { current: person.passkey, new: passkey };
          const { status } = await person.caller.ask('POST', '/auth/passkey', body);
          must(status === 400, `answered ${status}`);
        },
        'a folder': refused('POST', '/projects', {
          id,
          name: id,
          workingDirectory: `${project.folder}-${LONE}`,
        }),
        'a changed folder': refused('PATCH', `/projects/${project.id}`, {
          workingDirectory: `${project.folder}-${LONE}`,
        }),
        'a name': refused('PATCH', `/agents/${agentId}`, { name: `Robot ${LONE}` }),
        'a prompt': refused('PATCH', `/agents/${agentId}`, { systemPrompt: LONE }),
        'a command': refused('PATCH', `/agents/${agentId}`, {
          provider: 'command',
          command: { file: `/bin/${LONE}`, args: [] },
        }),
        'a message': refused('POST', `/projects/${project.id}/agents/${agentId}/chat/messages`, {
          content: LONE,
        }),
        'an agent at MCP': async () => {
          // What a lone surrogate becomes in a program that does not check for it.
          await owner.send('POST', `/agents/${agentId}/passkey`, { passkey: 'a long passkey \ufffd' });
          const args = { agent_id: agentId, passkey, project_id: project.id };
          const { result, isError } = await callTool(world.mcp, 'authenticate', args, {
            from: world.address(16),
          });
          must(isError || result.success === false, 'signed in with the passkey of another');
        },
      });
      return 'all refused with 400';
    },
  },
];
