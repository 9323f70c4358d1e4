import { expect, test } from 'vitest';
import { serviceEnvironment } from './service-environment.ts';
import { services } from './services.ts';

test('the keys of model providers go to the service that starts agents, and to no other', () => {
  const raw = { PATH: '/bin', AIZUCHI_PROVIDER_KEY: 'secret' };
  const given = services.map((definition) => {
    const env = serviceEnvironment({
      raw,
      definition,
      known: services,
      serving: [],
      databaseUrlFile: undefined,
      home: '/home',
      port: 1,
    });
    expect(env.PATH).toBe('/bin');
    return [definition.name, env.AIZUCHI_PROVIDER_KEY];
  });
  expect(Object.fromEntries(given)).toEqual({
    'rest-api': undefined,
    'mcp-server': undefined,
    coordinator: 'secret',
  });
});
