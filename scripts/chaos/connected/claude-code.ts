import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startFakeAnthropic } from '../../../tests/fixtures/fake-anthropic.ts';
import { claudeBinary } from '../../claude/claude-binary.ts';
import { AnsweringModel } from './answering-model.ts';
import type { ConnectedAgent } from './connected.ts';
import type { Place } from './place.ts';
import { runProgram } from './program.ts';

/** Longer than the time a call is held, plus the delay of the proxy and the machine. */
const CALL_TIMEOUT_MS = 35_000;

/** Starts the real Claude Code, connected as its manual describes, with a scripted model. */
export async function startClaudeCode(place: Place): Promise<ConnectedAgent> {
  const binary = await claudeBinary();
  const model = new AnsweringModel(place);
  const api = await startFakeAnthropic(model.reply);
  const config = join(place.folder, 'mcp.json');
  const server = { type: 'http', url: place.mcpUrl, alwaysLoad: true, timeout: CALL_TIMEOUT_MS };
  await writeFile(config, JSON.stringify({ mcpServers: { aizuchi: server } }));
  const home = join(place.folder, 'home');
  await mkdir(home);
  const child = runProgram(binary, [...ARGUMENTS, '--mcp-config', config], {
    cwd: place.folder,
    env: {
      HOME: home,
      PATH: process.env.PATH ?? '',
      ANTHROPIC_BASE_URL: api.url,
      ANTHROPIC_API_KEY: 'fake',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      CLAUDE_CODE_MAX_RETRIES: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_AUTOUPDATER: '1',
    },
  });
  return {
    ended: child.ended,
    given: async () => model.given,
    async stop() {
      await child.stop();
      await api.close();
    },
  };
}

const ARGUMENTS = [
  '-p',
  'Sign in to Aizuchi, and answer everybody who writes to you until you are told to leave.',
  '--strict-mcp-config',
  '--allowedTools',
  'mcp__aizuchi',
  '--tools',
  '',
  '--setting-sources',
  '',
  '--no-session-persistence',
  '--output-format',
  'stream-json',
  '--verbose',
];
