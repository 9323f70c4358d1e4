import { updateAgentBodySchema } from '@aizuchi/shared/contract/agent';
import { expect, test } from 'vitest';
import { boxDraftOf, limitsOf } from './box-draft.ts';

const draft = (memoryMb: string, cpus = '', processes = '') => ({ memoryMb, cpus, processes });

test.each([
  [draft(''), null],
  [draft('4,096'), { memoryMb: 4_096 }],
  [draft('４０９６', '2', '1 000'), { memoryMb: 4_096, cpus: 2, processes: 1_000 }],
  [draft('64', '1', '16'), { memoryMb: 64, cpus: 1, processes: 16 }],
  [draft('63'), undefined],
  [draft('1048577'), undefined],
  [draft('', '0'), undefined],
  [draft('', '1025'), undefined],
  [draft('', '', '15'), undefined],
  [draft('much'), undefined],
  [draft('4.096'), { memoryMb: 4_096 }],
  [draft('', '1.5'), undefined],
  [draft('', '１．５'), undefined],
  [draft('', '0,25'), undefined],
  [draft('-64'), undefined],
])('%j is %j', (text, limits) => {
  expect(limitsOf(text)).toEqual(limits);
  if (limits !== undefined) expect(updateAgentBodySchema.safeParse({ limits }).success).toBe(true);
});

test('what is stored is what the form shows, in the way of the language', () => {
  expect(boxDraftOf({ limits: { memoryMb: 4_096, cpus: 2 } }, 'en')).toEqual(draft('4,096', '2'));
  expect(boxDraftOf({}, 'ja')).toEqual(draft(''));
});
