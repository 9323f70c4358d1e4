import { createLogger } from '@aizuchi/shared/platform/logger';
import { expect, test } from 'vitest';
import { NO_SPARES } from '../launch/spare-pool.ts';
import { limitMark } from '../run-mark/run-mark.ts';
import { RUN_ERRORS } from '../texts/run-errors.ts';
import { ProcessExecutor } from './process-executor.ts';

test('it is settled when the mark of a run that has ended is released, and the end does not wait', async () => {
  const release = Promise.withResolvers<boolean>();
  const events: string[] = [];
  const executor = new ProcessExecutor({
    bootId: 'this boot',
    journal: { write: async () => undefined },
    marks: {
      kind: 'limit',
      make: async () => undefined,
      keep: () => undefined,
      release: () => release.promise,
      clean: async () => undefined,
    },
    spares: { ...NO_SPARES, take: async () => undefined },
    logger: createLogger('test', { level: 'silent' }),
    texts: RUN_ERRORS.en,
  });
  const entry = {
    runId: `run_of_nobody_${process.pid}`,
    bootId: 'an earlier boot',
    mark: limitMark(undefined),
  };
  expect(await executor.adopt(entry)).toEqual({ found: [], left: [] });
  const settled = executor.settled().then(() => events.push('settled'));
  // More turns than a promise without anything to wait for takes.
  await new Promise(setImmediate);
  events.push('released');
  release.resolve(true);
  await settled;
  expect(events).toEqual(['released', 'settled']);
});
