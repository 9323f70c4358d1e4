import fc from 'fast-check';
import { z } from 'zod';
import { ask, jsonOf } from '../support/ask.ts';
import { askMcp } from '../support/call-tool.ts';
import type { World } from '../world.ts';
import { type Schema, schemaSchema } from './schema.ts';
import { anyValue, idsFor, nastyText } from './values.ts';

/** One call that is created but not sent yet. */
export type Call =
  | {
      readonly kind: 'rest';
      readonly operation: string;
      readonly method: string;
      readonly path: string;
      readonly body?: unknown;
    }
  | { readonly kind: 'tool'; readonly operation: string; readonly args: Record<string, unknown> };

export interface Ids {
  /** Ids that a call may change or delete without harm to the probe. */
  readonly spare: readonly string[];
  /** Ids that a call may read and use, but not delete. */
  readonly kept: readonly string[];
}

const operationSchema = z.object({
  operationId: z.string(),
  parameters: z
    .array(z.object({ in: z.string(), name: z.string(), schema: schemaSchema.optional() }))
    .default([]),
  requestBody: z
    .object({ content: z.record(z.string(), z.object({ schema: schemaSchema.optional() })) })
    .optional(),
  responses: z.record(z.string(), z.looseObject({ content: z.record(z.string(), z.unknown()).optional() })),
});
const documentSchema = z.object({
  paths: z.record(z.string(), z.record(z.string(), operationSchema)),
});
const toolsSchema = z.object({
  result: z.object({ tools: z.array(z.object({ name: z.string(), inputSchema: schemaSchema })) }),
});

/** They end sign-ins of the probe, or change how the whole installation works. */
const NEVER = new Set(['logout', 'changePasskey', 'updateSettings']);
/** They delete or change what the probe needs, or what belongs to others. */
const ON_SPARE_ONLY = /^(delete|remove|set|update)/;
/** Bodies that are not JSON. */
const RAW_BODIES = [
  '',
  '{',
  'null',
  '[]',
  '"x"',
  '{"a":1}{',
  '['.repeat(20_000),
  `{"a":"${'x'.repeat(1_100_000)}"}`,
];

export async function restTemplates(world: World, ids: Ids): Promise<fc.Arbitrary<Call>[]> {
  const { paths } = documentSchema.parse(jsonOf(await ask(world.web, '/api/openapi.json')));
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => !NEVER.has(operation.operationId) && !isStream(operation))
      .map(([method, operation]) => restTemplate(method, path, operation, ids)),
  );
}

/** A stream has not ended when its answer begins. */
function isStream({ responses }: z.infer<typeof operationSchema>): boolean {
  return Object.values(responses).some(({ content }) => Object.hasOwn(content ?? {}, 'text/event-stream'));
}

function restTemplate(
  method: string,
  path: string,
  operation: z.infer<typeof operationSchema>,
  { spare, kept }: Ids,
): fc.Arbitrary<Call> {
  const ids = ON_SPARE_ONLY.test(operation.operationId) ? spare : [...spare, ...kept];
  const inPath = operation.parameters.filter((parameter) => parameter.in === 'path');
  const inQuery = operation.parameters.filter((parameter) => parameter.in === 'query');
  const schema = Object.values(operation.requestBody?.content ?? {})[0]?.schema;
  const parts = fc.tuple(
    fc.tuple(
      ...inPath.map(({ name }) =>
        fc.oneof(
          { arbitrary: fc.constantFrom(...idsFor(name, ids)), weight: 9 },
          { arbitrary: fc.constantFrom(...ids), weight: 1 },
          { arbitrary: nastyText, weight: 1 },
        ),
      ),
    ),
    fc.tuple(
      ...inQuery.map((parameter) => fc.option(anyValue(parameter.schema ?? {}, idsFor(parameter.name, ids)))),
    ),
    schema ? bodyOf(operation.operationId, schema, ids) : fc.constant(undefined),
  );
  return parts.map(([pathValues, queryValues, body]): Call => {
    const filled = inPath.reduce(
      (text, { name }, n) => text.replace(`{${name}}`, encoded(pathValues[n])),
      path,
    );
    const query = inQuery.flatMap(({ name }, n) =>
      queryValues[n] === null || queryValues[n] === undefined ? [] : [`${name}=${encoded(queryValues[n])}`],
    );
    const whole = query.length === 0 ? filled : `${filled}?${query.join('&')}`;
    return {
      kind: 'rest',
      operation: operation.operationId,
      method: method.toUpperCase(),
      path: whole.slice(0, 9_000),
      body,
    };
  });
}

function bodyOf(operation: string, schema: Schema, ids: readonly string[]): fc.Arbitrary<unknown> {
  const value = anyValue(schema, ids);
  // Failed sign-ins of an account are held, so each attempt uses another account.
  const safe =
    operation === 'login'
      ? fc.tuple(value, madeUp).map(([body, agentId]) => withKeys(body, { agentId }))
      : value;
  return fc.oneof({ arbitrary: safe, weight: 19 }, { arbitrary: fc.constantFrom(...RAW_BODIES), weight: 1 });
}

export async function toolTemplates(world: World, { spare, kept }: Ids): Promise<fc.Arbitrary<Call>[]> {
  const { text } = await askMcp(world.mcp, 'tools/list', {});
  const {
    result: { tools },
  } = toolsSchema.parse(jsonOf({ text }));
  return tools
    .filter(({ name }) => name !== 'logout')
    .map(({ name, inputSchema }) =>
      fc.tuple(anyValue(inputSchema, [...spare, ...kept]), madeUp).map(([value, agentId]): Call => {
        const { session_token: _, coordinator_token: __, ...args } = asObject(value);
        if (name === 'authenticate') args.agent_id = agentId;
        // A held call would only take time.
        if ('hold_seconds' in (inputSchema.properties ?? {}) && !isWrongHold(args.hold_seconds))
          args.hold_seconds = 0;
        return { kind: 'tool', operation: name, args };
      }),
    );
}

const madeUp = fc.stringMatching(/^[a-z]{20}$/);
const recordSchema = z.record(z.string(), z.unknown());

function isWrongHold(value: unknown): boolean {
  return value !== undefined && !(typeof value === 'number' && value >= 0 && value <= 25);
}

function asObject(value: unknown): Record<string, unknown> {
  return recordSchema.safeParse(value).data ?? { value };
}

function withKeys(value: unknown, keys: Record<string, unknown>): unknown {
  return { ...asObject(value), ...keys };
}

/** UTF-8 has no bytes for a lone surrogate; this is what a careless client sends instead. */
function encoded(value: unknown): string {
  const text = typeof value === 'string' ? value : String(JSON.stringify(value));
  return text.isWellFormed() ? encodeURIComponent(text) : '%ED%A0%80';
}
