import { describe, expect, test } from 'vitest';
import { afterReport } from './review.ts';

describe('afterReport', () => {
  test('without a reviewer the report is the end', () => {
    const nobody = { workerId: 'a', reviewerId: null };
    expect(afterReport('done', nobody)).toEqual({ status: 'done', reviewerId: null });
    expect(afterReport('blocked', nobody)).toEqual({ status: 'blocked', reviewerId: null });
  });

  test('what is done stays in progress, for the reviewer', () => {
    expect(afterReport('done', { workerId: 'a', reviewerId: 'b' })).toEqual({
      status: 'in_progress',
      reviewerId: 'b',
    });
  });

  test('what is blocked needs no review, and the report of the reviewer is the end', () => {
    expect(afterReport('blocked', { workerId: 'a', reviewerId: 'b' }).status).toBe('blocked');
    expect(afterReport('done', { workerId: 'b', reviewerId: 'b' }).status).toBe('done');
  });
});
