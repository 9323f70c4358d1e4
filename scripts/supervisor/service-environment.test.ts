import type { RawEnv } from '@aizuchi/shared/platform/config/env';
import { expect, test } from 'vitest';
import { serviceEnvironment } from './service-environment.ts';
import { services } from './services.ts';

const environmentsOf = (raw: RawEnv) =>
  services.map((definition) => {
    const urlOf = (name: string) => `http://127.0.0.1/${name}`;
    const input = { raw, definition, known: services, urlOf, databaseUrlFile: undefined };
    return { name: definition.name, env: serviceEnvironment({ ...input, home: '/home', port: 1 }) };
  });

test('the keys of model providers go to the service that starts agents, and to no other', () => {
  const raw = { PATH: '/bin', AIZUCHI_PROVIDER_KEY: 'secret' };
  const given = environmentsOf(raw).map(({ name, env }) => {
    expect(env.PATH).toBe('/bin');
    return [name, env.AIZUCHI_PROVIDER_KEY];
  });
  expect(Object.fromEntries(given)).toEqual({
    'rest-api': undefined,
    'mcp-server': undefined,
    coordinator: 'secret',
    memory: undefined,
  });
});

test('the url of the memory service is passed to those that ask it, unless a variable names another', () => {
  const urls = (raw: RawEnv) =>
    Object.fromEntries(environmentsOf(raw).map(({ name, env }) => [name, env.AIZUCHI_MEMORY_URL]));
  const ours = 'http://127.0.0.1/memory';
  expect(urls({})).toEqual({
    'rest-api': ours,
    'mcp-server': ours,
    coordinator: undefined,
    memory: undefined,
  });
  expect(urls({ AIZUCHI_MEMORY_URL: 'http://other' })).toMatchObject({
    'rest-api': 'http://other',
    'mcp-server': 'http://other',
  });
});

test('the models of LLM_* and EMBEDDING_* are told to the services that ask them, and to no other', () => {
  const raw = { LLM_MODEL: 'm', LLM_API_KEY: 'k', EMBEDDING_MODEL: 'e', EMBEDDING_API_KEY_FILE: '/keys/e' };
  const toldIn = (env: NodeJS.ProcessEnv) =>
    Object.keys(env).filter((name) => /^(LLM|EMBEDDING)_/.test(name));
  const told = environmentsOf(raw).filter(({ env }) => toldIn(env).length > 1);
  const knowing = environmentsOf(raw).filter(({ env }) => toldIn(env).join() === 'LLM_MODEL');
  expect(knowing.map(({ name }) => name)).toEqual(['mcp-server']);
  const asking = services.filter(({ asksModels }) => asksModels).map(({ name }) => name);
  expect(told.map(({ name }) => name)).toEqual(asking);
  for (const { env } of told) expect(env).toMatchObject(raw);
});
