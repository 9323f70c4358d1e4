import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { McpWorld, type RunningServer } from '../src/testing/mcp-world.ts';
import { callTool } from '../src/testing/raw-client.ts';
import { COORDINATOR_TOKEN } from '../src/testing/test-app.ts';
import { TOOL_LIST } from '../src/tool-registry.ts';

/** Values for which schemas, ids and columns were not made. */
const NASTY: readonly unknown[] = [
  null,
  true,
  -1,
  0,
  1.5,
  2 ** 31,
  2 ** 53,
  1e308,
  '',
  'a\u0000b',
  '\ud800',
  '../../etc/passwd',
  "'; drop table agents; --",
  'x'.repeat(5_000),
  '🦊'.repeat(60),
  [],
  ['\u0000'],
  {},
  { __proto__: { polluted: true } },
];

/** Fails slowly on purpose: wrong sign-ins are held longer each time. */
const NOT_HERE = new Set(['authenticate']);

let world: McpWorld;
let server: RunningServer;
beforeAll(async () => {
  world = await McpWorld.create();
  server = await world.startServer();
});
afterAll(() => world.close());

type Schema = { type?: string; enum?: unknown[]; properties?: Record<string, Schema>; required?: string[] };

/** The smallest arguments that a schema accepts. */
function smallest(schema: Schema): unknown {
  if (schema.enum) return schema.enum[0];
  if (schema.type === 'object')
    return Object.fromEntries(
      (schema.required ?? []).map((name) => [name, smallest(schema.properties?.[name] ?? {})]),
    );
  if (schema.type === 'array') return [];
  return schema.type === 'integer' || schema.type === 'number' ? 1 : 'x';
}

describe.each(TOOL_LIST.filter(({ name }) => !NOT_HERE.has(name)))('$name', ({ name, inputSchema }) => {
  const schema = inputSchema as Schema;
  const fields = Object.keys(schema.properties ?? {}).filter((field) => !field.endsWith('_token'));

  test.each(['a\u0000b', 'a\ud800b'])('a text that cannot be stored is refused: %j', async (text) => {
    const membership = await world.services.agentInProject();
    const { ticket } = await world.services.warmAgent(membership);
    const bearer = 'coordinator_token' in (schema.properties ?? {}) ? COORDINATOR_TOKEN : ticket;
    const base = smallest(schema) as Record<string, unknown>;
    const reply = await callTool(server.mcpUrl, name, { ...base, deep: [{ deep: text }] }, bearer);
    expect(JSON.parse(reply.text).error).toMatchObject({
      code: 'invalid_input',
      message: expect.stringMatching(/not a valid text/),
    });
  });

  test('any arguments are answered, and never with an internal error', async () => {
    const membership = await world.services.agentInProject();
    const { ticket } = await world.services.warmAgent(membership);
    const bearer = 'coordinator_token' in (schema.properties ?? {}) ? COORDINATOR_TOKEN : ticket;
    const base = smallest(schema) as Record<string, unknown>;
    for (const field of fields.filter((one) => one !== 'hold_seconds'))
      for (const value of NASTY) {
        const reply = await callTool(server.mcpUrl, name, { ...base, [field]: value }, bearer);
        const code = reply.isError ? JSON.parse(reply.text).error.code : 'ok';
        expect(code, `${field} = ${JSON.stringify(value)?.slice(0, 40)}`).not.toBe('internal');
      }
  });
});
