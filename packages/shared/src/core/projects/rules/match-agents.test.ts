import { describe, expect, test } from 'vitest';
import { matchAgents } from './match-agents.ts';

const ai = (id: string, name: string) => ({ id, name, kind: 'ai' });

describe('matchAgents', () => {
  test('by name and kind, whatever the id is', () => {
    expect(matchAgents([ai('a', 'Worker')], [ai('b', 'Worker'), ai('a', 'Other')])).toEqual(
      new Map([['a', 'b']]),
    );
    expect(matchAgents([ai('a', 'Worker')], [{ id: 'b', name: 'Worker', kind: 'human' }])).toEqual(new Map());
  });

  test('of several with this name the one with this id, or none', () => {
    const here = [ai('a', 'Worker'), ai('b', 'Worker')];
    expect(matchAgents([ai('b', 'Worker')], here)).toEqual(new Map([['b', 'b']]));
    expect(matchAgents([ai('c', 'Worker')], here)).toEqual(new Map());
  });

  test('nobody is meant twice', () => {
    expect(matchAgents([ai('a', 'Worker'), ai('b', 'Worker')], [ai('b', 'Worker')])).toEqual(
      new Map([['b', 'b']]),
    );
  });
});
