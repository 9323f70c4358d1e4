import { chmod, copyFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { ClaudeProduct } from '../../../tests/e2e/claude/claude-product.ts';
import { makeAgentProgram } from '../../../tests/fixtures/agent-program.ts';
import type { FakeOpenAi } from '../../../tests/fixtures/fake-openai.ts';
import { loopingModel, residentClaude } from './resident-claude.ts';

/** `resident-claude`: provider `command` with a `claude -p` that waits by itself. */
export const PROVIDERS = ['builtin', 'claude', 'openai', 'acp', 'command', 'resident-claude'] as const;
export type IdleProvider = (typeof PROVIDERS)[number];

/** From their names with commas between them. Throws at a name that is none. */
export function providersOf(names: string): IdleProvider[] {
  return z.array(z.enum(PROVIDERS)).parse(names.split(','));
}

/** How an agent of a provider is created, and what counts the turns that its model was asked for. */
export interface IdleKind {
  readonly fields: object;
  /** Absent: it has no model. */
  readonly modelRequests?: () => Promise<number>;
  /** It asks its model while nobody writes: the number is what it costs. */
  readonly asksByItself?: true;
}

const ACP_AGENT = new URL('../../../tests/fixtures/agents/acp-agent.ts', import.meta.url);
const EXAMPLE = fileURLToPath(new URL('../../../examples/agent.py', import.meta.url));
/** Python of the system: one that an account installed for itself cannot be run by the account of agents. */
const PYTHON = '/usr/bin/python3';

/** Models are scripts on loopback; the agent of `acp` is the scripted one of the tests, that of `command` the example. */
export async function idleKind(
  provider: IdleProvider,
  product: ClaudeProduct,
  openai: FakeOpenAi,
): Promise<IdleKind> {
  const { home } = product.world;
  switch (provider) {
    case 'builtin':
      return { fields: { provider } };
    case 'claude':
      product.plays(() => ({ text: 'ok' }));
      return { fields: { provider }, modelRequests: async () => product.model.hits.length };
    case 'openai':
      return {
        fields: { provider, model: 'test-model', baseUrl: openai.baseUrl },
        modelRequests: async () => openai.requests.length,
      };
    case 'acp': {
      const { command, control } = await makeAgentProgram(home, 'acp-agent', ACP_AGENT);
      const { file, args } = command;
      return {
        fields: { provider, command: { file, args } },
        modelRequests: () => promptsIn(join(control, 'requests.jsonl')),
      };
    }
    case 'command': {
      const folder = join(home, '..', 'examples');
      await mkdir(folder);
      await copyFile(EXAMPLE, join(folder, 'agent.py'));
      for (const path of [folder, join(folder, 'agent.py')]) await chmod(path, 0o755);
      return {
        fields: { provider, command: { file: PYTHON, args: [join(folder, 'agent.py')], mode: 'resident' } },
      };
    }
    case 'resident-claude':
      product.plays(loopingModel);
      return {
        fields: {
          provider: 'command',
          command: await residentClaude(join(home, '..', 'claude-print'), product.model.url),
        },
        modelRequests: async () => product.model.requests.length,
        asksByItself: true,
      };
  }
}

/** The scripted agent has no model: each prompt would be a turn of one. */
async function promptsIn(file: string): Promise<number> {
  return (await readFile(file, 'utf8')).split('"method":"session/prompt"').length - 1;
}
