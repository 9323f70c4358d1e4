import { expect, test } from 'vitest';
import { rulePlan } from '../rules/rule-plan.ts';
import { cleanPlan } from './plan.ts';

test('queries of a model are cut to what can be stored', () => {
  const { plan } = rulePlan('the cat', new Date('2026-05-08T00:00:00Z'));
  const queries = ['a\u0000b', `${'x'.repeat(499)}😀`, '\ud83d', ' '];
  expect(cleanPlan({ queries }, plan)?.queries).toEqual(['a\ufffdb', 'x'.repeat(499), '\ufffd']);
});
