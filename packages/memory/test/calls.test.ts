import { once } from 'node:events';
import { MEMORY_CALLS } from '@aizuchi/shared/contract/memory-calls';
import type { Memory } from '@aizuchi/shared/core/memory/recall';
import { createLogger } from '@aizuchi/shared/platform/logger';
import fastify from 'fastify';
import { afterEach, expect, test } from 'vitest';
import { addCalls } from '../src/calls.ts';
import { addErrorHandler } from '../src/error-handler.ts';
import { createMetrics } from '../src/metrics.ts';

const EACH = 8;
const logger = createLogger('test', { level: 'silent' });
const app = fastify();
afterEach(() => app.close());

test('a caller that goes away frees no place while the work for it goes on', async () => {
  const ends: (() => void)[] = [];
  const memory: Memory = {
    recall: () => Promise.reject(new Error('not asked')),
    async search() {
      await new Promise<void>((end) => ends.push(end));
      return { runId: 'ret_1', degraded: [], timings: {}, items: [] };
    },
  };
  addErrorHandler(app, logger);
  addCalls(app, { memory, metrics: createMetrics(() => 0) });
  const url = (await app.listen({ host: '127.0.0.1', port: 0 })) + MEMORY_CALLS.search.path;
  const body = JSON.stringify({
    scope: { agentId: 'a', projectId: null },
    body: { query: 'x', limit: 1, expand: false },
  });
  const call = (signal?: AbortSignal) =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      ...(signal && { signal }),
    });
  const deadline = new AbortController();
  const gone: Promise<unknown>[] = [];
  app.server.on('request', (_request, response) => gone.push(once(response, 'close')));
  const left = Array.from({ length: EACH + 2 }, () => call(deadline.signal).catch(() => undefined));
  await expect.poll(() => [gone.length, ends.length]).toEqual([EACH + 2, EACH]);
  deadline.abort();
  await Promise.all([...left, ...gone]);
  const next = call();
  await expect.poll(() => gone.length).toBe(EACH + 3);
  // Answered after a later request to the same process has been.
  await fetch(new URL('/nothing', url));
  expect(ends).toHaveLength(EACH);
  for (const end of ends.splice(0)) end();
  await expect.poll(() => ends.length).toBe(1);
  ends[0]?.();
  expect((await next).status).toBe(200);
});
