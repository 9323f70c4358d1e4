import { expect, test } from 'vitest';
import { ApiError } from '../api/api-error.ts';
import { failedPollMs } from './query-client.ts';

test.each([
  [new ApiError('network', 'no response'), 10_000],
  [new ApiError('unavailable', 'busy', { status: 503 }), 10_000],
  [new ApiError('forbidden', 'no', { status: 403 }), false],
  [new Error('a fault of the page'), false],
  [null, false],
])('%s is asked again after %s ms', (error, ms) => {
  expect(failedPollMs({ error })).toBe(ms);
});
