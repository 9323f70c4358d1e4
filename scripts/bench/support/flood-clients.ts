/**
 * flood.ts forks this process: its clients try again and again until the connection to the parent ends. `sign-in`:
 * 200 made-up accounts and 30 wrong passkeys of `owner`. `bearers`: 400 wrong bearers a second, half at REST, half at
 * MCP. It reports the number of answers each second.
 */
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const { FLOOD: kind = '', WEB_URL: webUrl = '', MCP_URL: mcpUrl = '' } = process.env;
const MADE_UP = 200;
const FOR_OWNER = 30;
const BEARERS_PER_SECOND = 400;

const sockets = new http.Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
const answers = new Map<string, number>();
let tries = 0;

if (kind === 'sign-in') {
  for (let client = 0; client < MADE_UP + FOR_OWNER; client += 1)
    void forEver(() => tryPasskey(client < MADE_UP ? `nobody_${tries}` : 'owner'));
} else {
  void forEver(async () => {
    for (let n = 0; n < BEARERS_PER_SECOND / 20; n += 1) void tryBearer(n % 2 === 0);
    await sleep(50);
  });
}
setInterval(() => process.send?.(Object.fromEntries(answers), () => undefined), 1_000);
process.once('disconnect', () => process.exit());

async function forEver(work: () => Promise<unknown>): Promise<void> {
  for (;;) await work();
}

function tryPasskey(agentId: string): Promise<void> {
  tries += 1;
  const body = JSON.stringify({ agentId, passkey: `wrong passkey ${tries}` });
  return send(`${webUrl}/api/auth/login`, 'POST', {}, body);
}

function tryBearer(atRest: boolean): Promise<void> {
  tries += 1;
  const authorization = `Bearer wrong-bearer-${tries}`;
  if (atRest) return send(`${webUrl}/api/auth/me`, 'GET', { authorization });
  const params = { name: 'get_my_profile', arguments: {} };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const accept = 'application/json, text/event-stream';
  return send(mcpUrl, 'POST', { authorization, accept, 'mcp-protocol-version': '2025-06-18' }, body);
}

function send(url: string, method: string, headers: Record<string, string>, body?: string): Promise<void> {
  return new Promise((resolve) => {
    const request = http.request(url, {
      method,
      agent: sockets,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    });
    const answered = (what: string) => {
      answers.set(what, (answers.get(what) ?? 0) + 1);
      resolve();
    };
    request.once('response', (response) => {
      response.resume();
      response.once('end', () => answered(String(response.statusCode)));
    });
    request.once('error', () => answered('error'));
    request.end(body);
  });
}
