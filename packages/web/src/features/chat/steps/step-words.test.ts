import type { Step } from '@aizuchi/shared/contract/step';
import { describe, expect, test } from 'vitest';
import { wordsOf } from './step-words.ts';

const words = (kind: Step['kind'], title: string, diff?: Step['diff']) =>
  wordsOf({ kind, title, ...(diff && { diff }) });

describe('the words of a step', () => {
  test.each([
    ['read', 'Read src/parse.ts', 'read', 'parse.ts', 'src/parse.ts'],
    ['read', 'src/parse.ts を読み込み', 'read', 'parse.ts', 'src/parse.ts'],
    ['read', 'parse.ts', 'read', 'parse.ts', 'parse.ts'],
    ['edit', 'Edited `src/a b.ts`', 'edited', 'a b.ts', 'src/a b.ts'],
    ['command', 'Ran pnpm test', 'ran', 'pnpm test', 'pnpm test'],
    ['command', 'pnpm test を実行', 'ran', 'pnpm test', 'pnpm test'],
    ['command', '`ls -la`', 'ran', 'ls -la', 'ls -la'],
    ['search', 'Searched for closingDay', 'searched', 'closingDay', 'closingDay'],
    ['search', 'closingDay を検索', 'searched', 'closingDay', 'closingDay'],
  ] as const)('%s: %s', (kind, title, verb, subject, full) => {
    expect(words(kind, title)).toEqual({ verb, subject, full });
  });

  test('a title that is a sentence of its own stands as it is', () => {
    expect(words('read', 'Look at the configuration')).toMatchObject({ verb: 'as_said', isCode: false });
    expect(words('tool', 'Fetched https://example.org')).toMatchObject({ verb: 'as_said' });
  });

  test('a command without a verb is code, also when it begins like a word', () => {
    expect(words('command', 'run-parts /etc/cron')).toEqual({
      verb: 'as_said',
      title: 'run-parts /etc/cron',
      isCode: true,
    });
  });

  test('an edit is named after its diff', () => {
    const diff = (before: string, after: string) => ({ path: 'src/x.sql', before, after });
    expect(words('edit', 'whatever', diff('', 'a'))).toMatchObject({ verb: 'created', subject: 'x.sql' });
    expect(words('edit', 'whatever', diff('a', ''))).toMatchObject({ verb: 'deleted' });
    expect(words('edit', 'whatever', diff('a', 'b'))).toMatchObject({ verb: 'edited' });
  });

  test('a thought without a text of its own', () => {
    expect(words('thought', '思考')).toEqual({ verb: 'thought' });
    expect(words('thought', 'The zone is wrong')).toMatchObject({ verb: 'as_said' });
  });
});
