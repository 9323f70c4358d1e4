import { expect, test } from 'vitest';
import { changesSetUp } from './set-up.ts';

const agent = {
  provider: 'command',
  command: { file: 'python3', args: ['a.py'] },
  systemPrompt: 'Be brief.',
};

test('a field that a process is started with changes the set-up, also when it is taken away', () => {
  expect(changesSetUp(agent, { command: { file: '/usr/bin/python3', args: ['a.py'] } })).toBe(true);
  expect(changesSetUp(agent, { systemPrompt: null })).toBe(true);
  expect(changesSetUp(agent, { model: 'opus' })).toBe(true);
});

test('what stays the same does not, nor what is not named', () => {
  expect(changesSetUp(agent, { command: { file: 'python3', args: ['a.py'] }, model: null })).toBe(false);
  expect(changesSetUp(agent, {})).toBe(false);
  const renamed = { name: 'Other', labels: ['x'], provider: 'command' };
  expect(changesSetUp(agent, renamed)).toBe(false);
});
