import { expect, test } from 'vitest';
import { isReservedName } from './reserved.ts';

const agent = (name: string) => isReservedName({ name, type: 'ai' });

test.each(['System', 'SYSTEM', 'Ѕystem', 'システム', 'ｼｽﾃﾑ', 'You', 'あなた', 'Aizuchi', 'AIZUCHI'])(
  '%s belongs to the product: nobody may have this name',
  (name) => {
    expect(agent(name)).toBe(true);
    expect(isReservedName({ name, type: 'human', accessLevel: 'owner' })).toBe(true);
  },
);

test.each(['User', 'ユーザー', 'Owner', 'オーナー', 'オ一ナー', '0wner'])(
  'an agent may not be called %s',
  (name) => {
    expect(agent(name)).toBe(true);
  },
);

test('only an owner may be called Owner, a person may be called User', () => {
  expect(isReservedName({ name: 'Owner', type: 'human', accessLevel: 'owner' })).toBe(false);
  expect(isReservedName({ name: 'Owner', type: 'human', accessLevel: 'member' })).toBe(true);
  expect(isReservedName({ name: 'User', type: 'human', accessLevel: 'member' })).toBe(false);
});

test.each([
  'System Architect',
  'Systems',
  'Yuko',
  'システム担当',
  'Coordinator',
  'Agent',
  'エージェント',
  'Viewer',
])('%s is an ordinary name', (name) => {
  expect(agent(name)).toBe(false);
});
