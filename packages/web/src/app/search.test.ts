import { describe, expect, test } from 'vitest';
import { readLoginSearch, readProjectSearch } from './search.ts';

describe('the search parameters of the address', () => {
  test('known ids are kept, everything else is dropped', () => {
    expect(readProjectSearch({ agent: 'agt_a', task: 7, comment: 'cmt_a', message: '', other: 'x' })).toEqual(
      {
        agent: 'agt_a',
        task: '7',
        comment: 'cmt_a',
      },
    );
  });

  test('of a filter only known values are kept', () => {
    expect(readProjectSearch({ due: 'week', view: 'agents', find: 12 })).toEqual({
      due: 'week',
      view: 'agents',
      find: '12',
    });
    expect(readProjectSearch({ due: 'someday', view: 'x' })).toEqual({});
  });

  test.each(['https://evil.example', '//evil.example', '/\\evil.example', 'evil', 7])(
    'a sign-in never leads to %s',
    (next) => {
      expect(readLoginSearch({ next })).toEqual({});
    },
  );

  test('a sign-in leads back to the requested page', () => {
    expect(readLoginSearch({ next: '/projects/prj_a?agent=agt_b' })).toEqual({
      next: '/projects/prj_a?agent=agt_b',
    });
  });
});
