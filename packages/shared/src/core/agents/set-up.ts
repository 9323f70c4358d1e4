import { isDeepStrictEqual } from 'node:util';

/** What a process of an agent is started with; a change of it acts at the next start. */
const STARTED_WITH = [
  'systemPrompt',
  'provider',
  'model',
  'baseUrl',
  'apiKeyEnv',
  'command',
  'limits',
  'image',
  'executor',
] as const;

type SetUp = { readonly [Field in (typeof STARTED_WITH)[number]]?: unknown };

/** `changes` holds the fields that are named; null means none. */
export function changesSetUp(agent: SetUp, changes: SetUp): boolean {
  return STARTED_WITH.some(
    (field) =>
      changes[field] !== undefined && !isDeepStrictEqual(agent[field] ?? null, changes[field] ?? null),
  );
}
