import { expect, test } from 'vitest';
import { isComposing } from './is-composing.ts';

test.each([
  ['while an input method composes', { isComposing: true, keyCode: 13 }, true],
  ['the Enter that confirms it, in WebKit', { isComposing: false, keyCode: 229 }, true],
  ['Enter', { isComposing: false, keyCode: 13 }, false],
])('%s', (_what, event, expected) => {
  expect(isComposing(event)).toBe(expected);
});
