import { describe, expect, it } from 'vitest';
import { labelAnswers, readAnswers } from './answers.ts';

const option = (label: string) => ({ label, description: '' });
const LIBRARY = {
  question: 'Which library?',
  options: [option('React Query'), option('SWR'), option('Redux')],
  multiSelect: false,
};
const FEATURES = {
  question: 'Which features?',
  options: [option('Cache'), option('Retry'), option('Offline'), option('Tests')],
  multiSelect: true,
};
const BOTH = [LIBRARY, FEATURES];

describe('valid answers, in their stored form and in the form that an agent reads', () => {
  it.each<[string, unknown, Record<string, unknown>, Record<string, string>]>([
    [
      'an option each',
      { 0: '1', 1: '0' },
      { 0: '1', 1: '0' },
      { 'Which library?': 'SWR', 'Which features?': 'Cache' },
    ],
    [
      'several options, in the order of the card',
      { 0: '2', 1: '3,0' },
      { 0: '2', 1: '0,3' },
      { 'Which library?': 'Redux', 'Which features?': 'Cache, Tests' },
    ],
    [
      'free text as itself, trimmed',
      { 0: 'other: Apollo, maybe ', 1: 'other:none' },
      { 0: 'other:Apollo, maybe', 1: 'other:none' },
      { 'Which library?': 'Apollo, maybe', 'Which features?': 'none' },
    ],
    [
      'the object form, with options and text',
      { 0: { selected: ['0'] }, 1: { selected: ['2', '1'], other: 'Sync' } },
      { 0: '0', 1: { selected: ['1', '2'], other: 'Sync' } },
      { 'Which library?': 'React Query', 'Which features?': 'Retry, Offline, Sync' },
    ],
    [
      'the object form with text alone',
      { 0: { other: 'Apollo' }, 1: { selected: [], other: 'Sync' } },
      { 0: 'other:Apollo', 1: 'other:Sync' },
      { 'Which library?': 'Apollo', 'Which features?': 'Sync' },
    ],
    [
      'free text that looks like an index, or like the prefix',
      { 0: 'other:0', 1: 'other:other:1' },
      { 0: 'other:0', 1: 'other:other:1' },
      { 'Which library?': '0', 'Which features?': 'other:1' },
    ],
  ])('%s', (_name, input, kept, labels) => {
    const answers = readAnswers(BOTH, input);
    expect(answers).toEqual({ ok: true, value: kept });
    if (answers.ok) expect(labelAnswers(BOTH, answers.value)).toEqual(labels);
  });

  it('trap 17: an agent never reads an index, whatever the texts of the questions are', () => {
    const odd = [{ ...LIBRARY, question: '__proto__' }];
    const labels = labelAnswers(odd, { 0: '1' });
    expect(Object.entries(labels)).toEqual([['__proto__', 'SWR']]);
  });
});

describe('an empty answer is never accepted', () => {
  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a text', '0'],
    ['a list', ['0', '0']],
    ['an empty object', {}],
    ['one of two questions', { 0: '0' }],
    ['a question that is not there', { 0: '0', 1: '0', 2: '0' }],
    ['the text of a question as key', { 'Which library?': 'SWR', 0: '0', 1: '0' }],
    ['a key that is no canonical index', { '00': '0', 1: '0' }],
    ['a key of the prototype', { 0: '0', toString: '0' }],
    ['an option beyond the last', { 0: '3', 1: '0' }],
    ['a negative option', { 0: '-1', 1: '0' }],
    ['a label instead of an index', { 0: 'SWR', 1: '0' }],
    ['an index that is no text', { 0: 1, 1: '0' }],
    ['an index with a leading zero', { 0: '01', 1: '0' }],
    ['an index with a blank', { 0: ' 1', 1: '0' }],
    ['an index with a fraction', { 0: '1.0', 1: '0' }],
    ['an empty text', { 0: '', 1: '0' }],
    ['no choice of several', { 0: '0', 1: '' }],
    ['two choices where one is asked', { 0: '0,1', 1: '0' }],
    ['a choice named twice', { 0: '0', 1: '1,1' }],
    ['a comma too many', { 0: '0', 1: '0,' }],
    ['options and text in one string', { 0: '0', 1: '0,other:x' }],
    ['empty free text', { 0: 'other:', 1: '0' }],
    ['blank free text', { 0: 'other:   ', 1: '0' }],
    ['free text that is too long', { 0: `other:${'あ'.repeat(4_001)}`, 1: '0' }],
    ['free text that no database holds', { 0: 'other:a\u0000b', 1: '0' }],
    ['half a character', { 0: 'other:\ud800', 1: '0' }],
    ['an empty object form', { 0: {}, 1: '0' }],
    ['an object form without a choice', { 0: { selected: [] }, 1: '0' }],
    ['an option and text where one is asked', { 0: { selected: ['0'], other: 'x' }, 1: '0' }],
    ['a selection that is no list', { 0: { selected: '0' }, 1: '0' }],
    ['a selection of numbers', { 0: { selected: [0] }, 1: '0' }],
    ['text that is no text', { 0: { other: 1 }, 1: '0' }],
    ['something else in the object form', { 0: { selected: ['0'], label: 'SWR' }, 1: '0' }],
    ['null for an answer', { 0: null, 1: '0' }],
    ['true for an answer', { 0: true, 1: '0' }],
    ['a list for an answer', { 0: ['0'], 1: '0' }],
  ])('%s', (_name, input) => {
    const answers = readAnswers(BOTH, input);
    expect(answers.ok).toBe(false);
    if (!answers.ok) expect(answers.refusal).toMatch(/^\S.*\.$/);
  });

  it('free text may be as long as a message', () => {
    expect(readAnswers([LIBRARY], { 0: `other:${'あ'.repeat(4_000)}` }).ok).toBe(true);
  });
});
