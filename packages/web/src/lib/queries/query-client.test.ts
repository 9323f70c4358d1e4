import { QueryObserver } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { ApiError } from '../api/api-error.ts';
import { failedPollMs, queryClient } from './query-client.ts';

test.each([
  [new ApiError('network', 'no response'), 10_000],
  [new ApiError('unavailable', 'busy', { status: 503 }), 10_000],
  [new ApiError('forbidden', 'no', { status: 403 }), false],
  [new Error('a fault of the page'), false],
  [null, false],
])('%s is asked again after %s ms', (error, ms) => {
  expect(failedPollMs({ error })).toBe(ms);
});

test('what was changed while it is read for the first time is read again', async () => {
  const reads: ((members: readonly string[]) => void)[] = [];
  const observer = new QueryObserver<readonly string[]>(queryClient, {
    queryKey: ['members'],
    queryFn: () => new Promise((resolve) => reads.push(resolve)),
  });
  const leave = observer.subscribe(() => undefined);
  await expect.poll(() => reads.length).toBe(1);
  await queryClient.invalidateQueries({ queryKey: ['other'] });
  void queryClient.invalidateQueries({ queryKey: ['members'] });
  reads[0]?.(['as it was before the change']);
  await expect.poll(() => reads.length).toBe(2);
  reads[1]?.(['with the change']);
  await expect.poll(() => queryClient.getQueryData(['members'])).toEqual(['with the change']);
  leave();
});
