import { describe, expect, it } from 'vitest';
import { askedQuestionsSchema } from './question.ts';

const option = (label: string) => ({ label, description: '' });
const question = (text: string, more: object = {}) => ({
  question: text,
  header: 'Library',
  options: [option('A'), option('B')],
  multiSelect: false,
  ...more,
});

describe('the questions that an agent may ask', () => {
  it('one to four questions with two to four options; description and multiSelect may be left out', () => {
    const four = [1, 2, 3, 4].map((n) => question(`Question ${n}?`));
    expect(askedQuestionsSchema.parse(four)).toEqual(four);
    const short = [{ question: ' Go on? ', header: 'Go', options: [{ label: 'Yes' }, { label: 'No' }] }];
    expect(askedQuestionsSchema.parse(short)).toEqual([
      { question: 'Go on?', header: 'Go', options: [option('Yes'), option('No')], multiSelect: false },
    ]);
  });

  it('the length of a header is counted in characters as people count them', () => {
    expect(askedQuestionsSchema.safeParse([question('?', { header: '𠮷'.repeat(12) })]).success).toBe(true);
    expect(askedQuestionsSchema.safeParse([question('?', { header: '𠮷'.repeat(13) })]).success).toBe(false);
  });

  it.each<[string, unknown]>([
    ['no question', []],
    ['five questions', [1, 2, 3, 4, 5].map((n) => question(`${n}?`))],
    ['no list', question('?')],
    ['an empty question', [question(' ')]],
    ['a question without header', [question('?', { header: undefined })]],
    ['an empty header', [question('?', { header: ' ' })]],
    ['one option', [question('?', { options: [option('A')] })]],
    ['five options', [question('?', { options: ['A', 'B', 'C', 'D', 'E'].map(option) })]],
    ['an option without label', [question('?', { options: [{ description: 'x' }, option('B')] })]],
    ['an empty label', [question('?', { options: [option(' '), option('B')] })]],
    ['options that are texts', [question('?', { options: ['A', 'B'] })]],
    ['a label twice', [question('?', { options: [option('A'), option('A ')] })]],
    ['a question twice', [question('Same?'), question(' Same?')]],
    ['multiSelect that is a text', [question('?', { multiSelect: 'yes' })]],
    ['a text that no database holds', [question('a\u0000?')]],
  ])('not %s', (_name, questions) => {
    expect(askedQuestionsSchema.safeParse(questions).success).toBe(false);
  });
});
