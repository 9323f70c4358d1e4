import { describe, expect, test } from 'vitest';
import { createAgentBodySchema, setPasskeyBodySchema, updateAgentBodySchema } from './agent.ts';
import { loginBodySchema } from './auth.ts';
import { createProjectBodySchema } from './project.ts';
import { SETTING_NAMES, SETTINGS, updateSettingsBodySchema } from './settings.ts';
import { createTaskBodySchema, listTasksQuerySchema } from './task.ts';

const ai = { name: 'A', type: 'ai' };

describe('refused bodies', () => {
  test.each([
    ['unknown key', createAgentBodySchema, { ...ai, extra: 1 }],
    ['reserved id', createAgentBodySchema, { ...ai, id: 'system' }],
    ['id with a path', createAgentBodySchema, { ...ai, id: '../x' }],
    ['empty name', createAgentBodySchema, { ...ai, name: '  ' }],
    ['a level for an AI agent', createAgentBodySchema, { ...ai, accessLevel: 'owner' }],
    ['a provider for a person', createAgentBodySchema, { name: 'A', type: 'human', provider: 'claude' }],
    ['provider command without a program', createAgentBodySchema, { ...ai, provider: 'command' }],
    ['a program for another provider', createAgentBodySchema, { ...ai, command: { file: 'x', args: [] } }],
    ['a variable of the product', createAgentBodySchema, { ...ai, apiKeyEnv: 'MCP_COORDINATOR_TOKEN' }],
    ['a password in the address', createAgentBodySchema, { ...ai, baseUrl: 'http://a:b@localhost/' }],
    ['no address at all', createAgentBodySchema, { ...ai, baseUrl: 'not an address' }],
    ['a file address', createAgentBodySchema, { ...ai, baseUrl: 'file:///etc/passwd' }],
    ['type cannot change', updateAgentBodySchema, { type: 'human' }],
    ['passkey and code', loginBodySchema, { agentId: 'owner', passkey: 'x', code: 'y' }],
    ['half a character to sign in with', loginBodySchema, { agentId: 'owner', passkey: '\ud800'.repeat(8) }],
    ['half a character as a new passkey', setPasskeyBodySchema, { passkey: '\ud800'.repeat(8) }],
    ['project status at creation', createProjectBodySchema, { name: 'P', status: 'archived' }],
    ['same dependency twice', createTaskBodySchema, { title: 'T', dependsOn: ['tsk_a', 'tsk_a'] }],
    ['unknown status', listTasksQuerySchema, { status: 'open' }],
    ['TTL 0', updateSettingsBodySchema, { pendingPurposeTtlSeconds: 0 }],
    ['TTL above a day', updateSettingsBodySchema, { pendingPurposeTtlSeconds: 86_401 }],
    ['half a second', updateSettingsBodySchema, { viewerLeaseSeconds: 1.5 }],
    ['unknown setting', updateSettingsBodySchema, { ttl: 5 }],
  ])('%s', (_name, schema, body) => {
    expect(schema.safeParse(body).success).toBe(false);
  });
});

test('a status filter is one name or several', () => {
  expect(listTasksQuerySchema.parse({ status: 'todo' }).status).toEqual(['todo']);
  expect(listTasksQuerySchema.parse({ status: ['todo', 'done'] }).status).toEqual(['todo', 'done']);
});

test('a program may have any arguments', () => {
  const body = {
    ...ai,
    provider: 'command',
    command: { file: 'node', args: ['', ' a ', '--x'], mode: 'per_work' },
  };
  expect(createAgentBodySchema.parse(body).command?.args).toEqual(['', ' a ', '--x']);
});

test('defaults lie in their ranges', () => {
  for (const name of SETTING_NAMES) {
    const { default: value, min, max } = SETTINGS[name];
    expect(value).toBeGreaterThanOrEqual(min);
    expect(value).toBeLessThanOrEqual(max);
  }
  expect(SETTING_NAMES).toHaveLength(12);
});

test('the byte quota is off, or at least as large as the largest message', () => {
  const accepts = (agentBytesPerHour: number) =>
    updateSettingsBodySchema.safeParse({ agentBytesPerHour }).success;
  expect([0, 1_048_576].map(accepts)).toEqual([true, true]);
  expect([-1, 1, 1_048_575].map(accepts)).toEqual([false, false, false]);
});
