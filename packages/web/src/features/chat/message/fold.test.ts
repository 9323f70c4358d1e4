import { expect, test } from 'vitest';
import { foldLong } from './fold.ts';

test('a short answer is shown whole', () => {
  expect(foldLong('a\nb')).toBeUndefined();
});

test('a long answer is shown by its first lines, and a code block that was cut is closed', () => {
  const folded = foldLong(`Look:\n\`\`\`ts\n${'const a = 1;\n'.repeat(60)}\`\`\`\n`);
  expect(folded?.lines).toBe(64);
  expect(folded?.preview.split('\n')).toHaveLength(21);
  expect(folded?.preview.endsWith('\n```')).toBe(true);
});

test('a single very long line is cut, too', () => {
  expect(foldLong('x'.repeat(50_000))?.preview.length).toBe(1_600);
});
