import fc from 'fast-check';
import type { Schema } from './schema.ts';

const NASTY_TEXTS = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'x\udfffx',
  '\u202eevil\u202c',
  'שלום',
  '👩‍👩‍👧‍👦',
  '\ufeff',
  '%00',
  '%ff',
  '../../etc/passwd',
  '/etc/passwd',
  "'; drop table agents; --",
  '<script>alert(1)</script>',
  '__proto__',
  'constructor',
  'null',
  '-1',
  '1e309',
  '9999-12-31T23:59:59.999Z',
  '-000001-01-01T00:00:00Z',
  '* * * * *',
  '0 0 31 2 *',
  'a\nb',
  '\u001b[2J',
  'x'.repeat(1_001),
  'x'.repeat(100_000),
  '𠮷'.repeat(4_001),
];
const NASTY_NUMBERS = [
  -1,
  0,
  -0,
  0.5,
  1e-320,
  2 ** 31,
  2 ** 53,
  -(2 ** 53),
  2 ** 63,
  1e308,
  200,
  201,
  86_401,
];

function deep(levels: number): unknown {
  let value: unknown = 'bottom';
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

export const nastyText = fc.constantFrom(...NASTY_TEXTS);
const nasty: fc.Arbitrary<unknown> = fc.oneof(
  nastyText,
  fc.constantFrom<unknown>(...NASTY_NUMBERS, null, true, false, [], {}, deep(60), deep(2_000)),
  fc.constant(JSON.parse('{"__proto__": {"isAdmin": true}, "constructor": 1}')),
  fc.string({ unit: 'binary', maxLength: 30 }),
);

const KINDS: readonly [name: RegExp, prefix: string][] = [
  [/conversation|^cid$/i, 'conv_'],
  [/tool_?use/i, 'toolu_'],
  [/run_|^rid$/i, 'run_'],
  [/schedule|^sid$/i, 'sch_'],
  [/agent|assignee|participant|target|^aid$|^to$/i, 'agt_'],
  [/project|^pid$/i, 'prj_'],
  [/task|parent|depends|^tid$/i, 'tsk_'],
  [/message|^mid$|^after$|^before$/i, 'msg_'],
];

/** The ids whose kind fits the name; all ids if no kind fits. */
export function idsFor(name: string, ids: readonly string[]): readonly string[] {
  const prefix = KINDS.find(([pattern]) => pattern.test(name))?.[1];
  const fitting = prefix === undefined ? [] : ids.filter((id) => id.startsWith(prefix));
  return fitting.length === 0 ? ids : fitting;
}

/**
 * One value of twenty is arbitrary; the others fit the schema, or nearly. `ids`: used wherever a text is expected.
 */
export function anyValue(schema: Schema, ids: readonly string[]): fc.Arbitrary<unknown> {
  return fc.oneof({ arbitrary: rightValue(schema, ids), weight: 19 }, { arbitrary: nasty, weight: 1 });
}

function rightValue(schema: Schema, ids: readonly string[]): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum?.length) return fc.constantFrom(...schema.enum);
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives?.length) return fc.oneof(...alternatives.map((one) => anyValue(one, ids)));
  if (Array.isArray(schema.type))
    return fc.oneof(...schema.type.map((type: string) => rightValue({ ...schema, type }, ids)));
  switch (schema.type) {
    case 'null':
      return fc.constant(null);
    case 'object':
      return objectOf(schema, ids);
    case 'array':
      return fc.array(anyValue(schema.items ?? {}, ids), { maxLength: 4 });
    case 'integer':
      return fc.oneof(fc.integer(boundsOf(schema)), fc.constantFrom(...NASTY_NUMBERS));
    case 'number':
      return fc.oneof(fc.integer(boundsOf(schema)), fc.double(), fc.constantFrom(...NASTY_NUMBERS));
    case 'boolean':
      return fc.boolean();
    case 'string':
      return textValue(ids);
    default:
      return nasty;
  }
}

function textValue(ids: readonly string[]): fc.Arbitrary<string> {
  return fc.oneof(
    fc.constantFrom(...ids),
    fc.string({ minLength: 1, maxLength: 40 }),
    fc.string({ unit: 'grapheme', maxLength: 40 }),
    nastyText,
  );
}

function boundsOf({ minimum, maximum }: Schema): { min: number; max: number } {
  const bound = (value: number | undefined, otherwise: number) =>
    Math.trunc(Math.min(2 ** 31 - 1, Math.max(-(2 ** 31), value ?? otherwise)));
  const min = bound(minimum, -10);
  return { min, max: Math.max(min, bound(maximum, 1_000)) };
}

/** Required keys are mostly present, optional ones half the time; sometimes there is an unknown key. */
function objectOf({ properties = {}, required = [] }: Schema, ids: readonly string[]): fc.Arbitrary<unknown> {
  const entries = Object.entries(properties).map(([key, schema]) => {
    const weight = required.includes(key) ? 19 : 1;
    const there = anyValue(schema, idsFor(key, ids)).map((value) => [[key, value] as const]);
    return fc.oneof({ arbitrary: there, weight }, { arbitrary: fc.constant([]), weight: 1 });
  });
  const unknown = fc.oneof(
    { arbitrary: fc.constant([]), weight: 19 },
    { arbitrary: fc.tuple(fc.string({ maxLength: 20 }), nasty).map((entry) => [entry]), weight: 1 },
  );
  return fc.tuple(...entries, unknown).map((parts) => Object.fromEntries(parts.flat()));
}
