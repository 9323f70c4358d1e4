import { createAgentBodySchema, updateAgentBodySchema } from '@aizuchi/shared/contract/agent';
import { describe, expect, test } from 'vitest';
import { agentDraftOf, createBodyOf, updateBodyOf } from './agent-draft.ts';

const empty = agentDraftOf(undefined);
const command = { ...empty, name: 'Runner', provider: 'command' as const, file: ' /usr/bin/node ' };

const local = {
  ...empty,
  name: 'Local',
  provider: 'openai' as const,
  model: ' llama3.2 ',
  baseUrl: ' http://127.0.0.1:11434/v1 ',
};

describe('the body for a new agent', () => {
  test('has only what was filled in', () => {
    expect(createBodyOf({ ...empty, name: ' Worker ' }, '')).toEqual({
      type: 'ai',
      name: 'Worker',
      provider: 'builtin',
      labels: [],
    });
  });

  test('has one argument for each line; spaces are kept, a final line break is ignored', () => {
    const body = createBodyOf({ ...command, args: '--flag\nwith space\n\nend\n' }, 'runner');
    expect(body.command).toEqual({
      file: '/usr/bin/node',
      args: ['--flag', 'with space', '', 'end'],
      mode: 'resident',
    });
    expect(createAgentBodySchema.safeParse(body).success).toBe(true);
  });

  test('has each label once, with ASCII and Japanese commas', () => {
    expect(createBodyOf({ ...empty, name: 'A', labels: 'gpu、 linux, gpu,' }, '').labels).toEqual([
      'gpu',
      'linux',
    ]);
  });
});

describe('the model of an agent', () => {
  test('has its address and the name of its key, where they are filled in', () => {
    const body = createBodyOf({ ...local, apiKeyEnv: ' AIZUCHI_PROVIDER_KEY' }, '');
    expect(body).toMatchObject({
      provider: 'openai',
      model: 'llama3.2',
      baseUrl: 'http://127.0.0.1:11434/v1',
      apiKeyEnv: 'AIZUCHI_PROVIDER_KEY',
    });
    expect(createAgentBodySchema.safeParse(body).success).toBe(true);
    expect(createBodyOf(local, '')).not.toHaveProperty('apiKeyEnv');
  });

  test('can be named for claude and acp, which have no address', () => {
    for (const provider of ['claude', 'acp'] as const) {
      const body = createBodyOf({ ...local, provider }, '');
      expect(body.model).toBe('llama3.2');
      expect(body).not.toHaveProperty('baseUrl');
      expect(updateBodyOf({ ...local, provider, model: ' ' })).toMatchObject({ model: null });
    }
  });

  test('is kept when another provider is chosen, and emptied fields become null', () => {
    expect(updateBodyOf({ ...local, provider: 'builtin' })).not.toHaveProperty('model');
    const body = updateBodyOf(local);
    expect(body).toMatchObject({ model: 'llama3.2', apiKeyEnv: null });
    expect(updateAgentBodySchema.safeParse(body).success).toBe(true);
  });

  test('is read from the agent, and a change of it needs a restart where the provider has it', () => {
    const agent = agentDraftOf({
      id: 'agt_1',
      name: 'Local',
      type: 'ai',
      provider: 'openai',
      model: 'llama3.2',
      baseUrl: 'http://127.0.0.1:11434/v1',
      apiKeyEnv: 'AIZUCHI_PROVIDER_KEY',
      labels: [],
      maxParallelTasks: 1,
      executor: 'any',
      hasCredential: true,
      createdAt: '2026-01-01T00:00:00.000Z',
      updatedAt: '2026-01-01T00:00:00.000Z',
    });
    expect(agent).toMatchObject({ model: 'llama3.2', apiKeyEnv: 'AIZUCHI_PROVIDER_KEY' });
  });
});

describe('an update', () => {
  test('clears emptied fields with null, and the command when the provider changes', () => {
    const body = updateBodyOf({ ...command, provider: 'builtin' });
    expect(body).toMatchObject({ role: null, systemPrompt: null, command: null });
    expect(updateAgentBodySchema.safeParse(body).success).toBe(true);
  });
});
