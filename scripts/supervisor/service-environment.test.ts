import type { RawEnv } from '@aizuchi/shared/platform/config/env';
import { expect, test } from 'vitest';
import { serviceEnvironment } from './service-environment.ts';
import { services } from './services.ts';

const environmentsOf = (raw: RawEnv) =>
  services.map((definition) => {
    const input = { raw, definition, known: services, serving: [], databaseUrlFile: undefined };
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
  });
});

test('the models of LLM_* and EMBEDDING_* are told to the services that ask them, and to no other', () => {
  const raw = { LLM_MODEL: 'm', LLM_API_KEY: 'k', EMBEDDING_MODEL: 'e', EMBEDDING_API_KEY_FILE: '/keys/e' };
  const told = environmentsOf(raw).filter(({ env }) =>
    Object.keys(env).some((name) => /^(LLM|EMBEDDING)_/.test(name)),
  );
  const asking = services.filter(({ asksModels }) => asksModels).map(({ name }) => name);
  expect(told.map(({ name }) => name)).toEqual(asking);
  for (const { env } of told) expect(env).toMatchObject(raw);
});
