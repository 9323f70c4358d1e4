import { respondChatInput } from '@aizuchi/shared/contract/tools/chat-tools';
import { expect, test } from 'vitest';
import { toTurnUsage } from './turn-usage.ts';

test('the usage of a turn, as the answer names it', () => {
  const usage = { model: 'm-1', inputTokens: 12, outputTokens: 3, cacheReadTokens: 2, costUsd: 0.01 };
  expect(toTurnUsage(usage, 1234.5)).toEqual({
    usage: { input_tokens: 12, output_tokens: 3, cache_read_tokens: 2, cost_usd: 0.01, duration_ms: 1235 },
    model: 'm-1',
  });
  expect(toTurnUsage({ inputTokens: 1, outputTokens: 2 }, 0)).toEqual({
    usage: { input_tokens: 1, output_tokens: 2, duration_ms: 0 },
  });
});

test.each([
  { inputTokens: Number.NaN, outputTokens: -1 },
  { inputTokens: 1e30, outputTokens: 1.5, costUsd: Number.POSITIVE_INFINITY },
  { inputTokens: 1, outputTokens: 1, costUsd: -1, cacheReadTokens: 1e30 },
  { inputTokens: 1, outputTokens: 1, model: '' },
  { inputTokens: 1, outputTokens: 1, model: ` a\nb\u0000\u202e\u200b ${'x'.repeat(999)}` },
])('numbers and names that are none do not cost the answer: %o', (usage) => {
  const cost = toTurnUsage(usage, 1e30);
  const parsed = respondChatInput.safeParse({ content: 'ok', ...cost });
  expect(parsed.error).toBeUndefined();
});
