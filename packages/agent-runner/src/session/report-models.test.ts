import { MODEL_LIMITS, modelOffersSchema } from '@aizuchi/shared/contract/models';
import { expect, test } from 'vitest';
import { fitModels, modelReporter } from './report-models.ts';

test('what a program says is cut to what the server takes', () => {
  const found = [
    { id: 'sonnet', name: 'Sonnet\n 5', about: ` ${'x'.repeat(400)}` },
    { id: 'sonnet', name: 'again' },
    { id: 'opus', name: 'Opus', about: '' },
    { id: '' },
    { id: 'a\u0000b' },
    { id: 'y'.repeat(MODEL_LIMITS.id + 1) },
    { id: 'half', about: `${'z'.repeat(MODEL_LIMITS.about - 2)}😀😀` },
  ];
  const models = fitModels(found);
  expect(models.map(({ id, name }) => [id, name])).toEqual([
    ['sonnet', 'Sonnet 5'],
    ['opus', undefined],
    ['half', undefined],
  ]);
  expect(models[0]?.about).toBe(`${'x'.repeat(MODEL_LIMITS.about - 1)}…`);
  expect(models[2]?.about).toBe(`${'z'.repeat(MODEL_LIMITS.about - 2)}…`);
  expect(modelOffersSchema.safeParse(models).success).toBe(true);
  const many = Array.from({ length: MODEL_LIMITS.models + 5 }, (_, index) => ({ id: `m${index}` }));
  expect(fitModels(many)).toHaveLength(MODEL_LIMITS.models);
});

test('a list is reported once, an empty one never; a failure is logged', async () => {
  const calls: unknown[] = [];
  const logged = Promise.withResolvers<string>();
  const client = {
    callUntilAnswered: async (_name: string, args: unknown): Promise<never> => {
      calls.push(args);
      throw new Error('no such tool');
    },
  };
  const report = modelReporter(client, logged.resolve);
  report([]);
  report([{ id: 'a' }]);
  report([{ id: 'a' }]);
  expect(await logged.promise).toMatch(/models are not reported: .*no such tool/);
  report([{ id: 'b' }]);
  expect(calls).toEqual([{ models: [{ id: 'a' }] }, { models: [{ id: 'b' }] }]);
});
