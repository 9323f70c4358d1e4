import { expect, test } from 'vitest';
import type { SessionOptions } from '../../driver.ts';
import { ownTool, WITHHELD_TOOLS } from './model-tools.ts';
import { claudeEnvironment, queryOptions } from './query-options.ts';

const HOST = { executable: '/bin/claude', cwd: '/work', env: { PATH: '/bin' } };
const SESSION: SessionOptions = {
  agentId: 'agt_1',
  agentName: 'Aiko',
  mcp: { url: 'http://127.0.0.1:1/mcp', token: 'secret-token' },
  log: () => undefined,
  hide: (text) => text,
  remember: async () => undefined,
  reportModels: () => undefined,
  reportUsage: async () => undefined,
  tools: { call: () => Promise.reject(new Error('not used')) },
};

test('trap 12: the token goes by stdin, in no argument and in no environment', () => {
  const { env, mcpServers, mcpServersDelivery, ...rest } = queryOptions(HOST, SESSION, undefined);
  expect(JSON.stringify([env, rest])).not.toContain('secret-token');
  expect(mcpServersDelivery).toBe('initialize');
  expect(JSON.stringify(mcpServers)).toContain('Bearer secret-token');
});

test('what keeps a person from waiting and the model from being called is always set', () => {
  const env = claudeEnvironment({ CLAUDE_CODE_MAX_RETRIES: '10', DISABLE_AUTOUPDATER: '' });
  expect(env).toMatchObject({
    CLAUDE_CODE_MAX_RETRIES: '2',
    CLAUDE_CODE_RESUME_INTERRUPTED_TURN: '1',
    CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
  });
});

test('a model that says nothing is waited for a minute, unless the host says otherwise', () => {
  expect(claudeEnvironment({})).toMatchObject({
    API_TIMEOUT_MS: '60000',
    CLAUDE_BYTE_STREAM_IDLE_TIMEOUT_MS: '90000',
    CLAUDE_ENABLE_BYTE_WATCHDOG: '1',
  });
  expect(claudeEnvironment({ API_TIMEOUT_MS: '300000' })).toMatchObject({ API_TIMEOUT_MS: '300000' });
});

test('the variables of another session of Claude Code are left out, its settings are kept', () => {
  const env = claudeEnvironment({
    CLAUDE_CODE_SESSION_ID: 'x',
    CLAUDE_CODE_ENTRYPOINT: 'cli',
    CLAUDE_CODE_SSE_PORT: '1',
    CLAUDE_CODE_OAUTH_TOKEN_FILE_DESCRIPTOR: '3',
    CLAUDE_CODE_OAUTH_TOKEN: 'token',
    ANTHROPIC_API_KEY: 'key',
    EMPTY: undefined,
  });
  expect(
    Object.keys(env).filter((name) => /SESSION_ID|ENTRYPOINT|SSE_PORT|DESCRIPTOR|EMPTY/.test(name)),
  ).toEqual([]);
  expect(env).toMatchObject({ CLAUDE_CODE_OAUTH_TOKEN: 'token', ANTHROPIC_API_KEY: 'key' });
});

test('the model gets no tool that is the work of the runner', () => {
  expect(WITHHELD_TOOLS).toEqual(
    expect.arrayContaining(
      ['authenticate', 'get_next_action', 'respond_chat'].map((name) => `mcp__aizuchi__${name}`),
    ),
  );
  expect([
    ownTool('mcp__aizuchi__list_tasks'),
    ownTool('mcp__aizuchi__logout'),
    ownTool('mcp__other__x'),
  ]).toEqual(['list_tasks', undefined, undefined]);
});
