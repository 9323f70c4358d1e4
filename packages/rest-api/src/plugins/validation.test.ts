import { errorBodySchema } from '@aizuchi/shared/contract/errors';
import { ROUTES, type RouteDefinition } from '@aizuchi/shared/contract/routes';
import { expect, test } from 'vitest';
import { serializerOf } from './validation.ts';

const responses = Object.values<RouteDefinition>(ROUTES).flatMap(({ method, path, response, success }) =>
  response ? [{ method, path, schema: response, httpStatus: `${success}` }] : [],
);

/* A process compiles each of them for its first response: one that cannot be compiled would be found there. */

test.each(responses)('the response of $method $path can be serialized', ({ path, ...response }) => {
  expect(serializerOf({ ...response, url: path })).toBeTypeOf('function');
});

test('an error is serialized with the fields of the contract, and no other', () => {
  const serialize = serializerOf({ schema: errorBodySchema, method: 'GET', url: '/', httpStatus: 'default' });
  const error = { code: 'invalid_input', message: 'Not valid.' };
  expect(JSON.parse(serialize({ error, stack: 'at run' }))).toEqual({ error });
});
