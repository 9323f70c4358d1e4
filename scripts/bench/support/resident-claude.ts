import { chmod, constants, copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { lastResults, type ModelScript, resultText } from '../../../tests/fixtures/fake-anthropic.ts';
import { claudeBinary } from '../../claude/claude-binary.ts';

const CONFIG = 'claude-mcp.json';
const PREFIX = 'mcp__aizuchi__';
const PROMPT =
  'You are an agent of Aizuchi. Call authenticate without arguments. Then call get_next_action with hold_seconds 25 again and again, and do what it says, until it says exit.';

/**
 * The command of `claude -p` that is told to wait by itself, with a model at `modelUrl`. The account of agents can read its
 * folder.
 */
export async function residentClaude(
  folder: string,
  modelUrl: string,
): Promise<{ file: string; args: string[]; mode: 'resident' }> {
  await mkdir(folder);
  await chmod(folder, 0o755);
  const [file, config] = [join(folder, 'claude'), join(folder, CONFIG)];
  await copyFile(await claudeBinary(), file, constants.COPYFILE_FICLONE);
  await chmod(file, 0o755);
  await copyFile(fileURLToPath(new URL(`../../../examples/${CONFIG}`, import.meta.url)), config);
  await chmod(config, 0o644);
  const env = {
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: 'sk-fake-1234567890',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
  };
  return {
    file,
    args: [
      ...['-p', PROMPT, '--mcp-config', config, '--strict-mcp-config', '--allowedTools', 'mcp__aizuchi'],
      ...['--tools', '', '--setting-sources', '', '--settings', JSON.stringify({ env })],
      '--no-session-persistence',
    ],
    mode: 'resident',
  };
}

const answerSchema = z.looseObject({
  action: z.string().optional(),
  batch_id: z.string().nullish(),
  pending_messages: z.array(z.unknown()).optional(),
});

/** Does what the prompt says: each return of a held call is a request to the model. */
export const loopingModel: ModelScript = (request) => {
  const [result] = lastResults(request);
  if (!result) return call('authenticate');
  const { action, batch_id, pending_messages } = answerSchema.parse(JSON.parse(resultText(result)));
  if (batch_id && pending_messages) return call('respond_chat', { batch_id, content: 'Hello.' });
  if (action === 'get_pending_messages') return call('get_pending_messages');
  if (action === 'exit' || action === 'logout') return { text: 'The session is over.' };
  return call('get_next_action', { hold_seconds: 25 });
};

function call(tool: string, input: Record<string, unknown> = {}) {
  return { tool: `${PREFIX}${tool}`, input };
}
