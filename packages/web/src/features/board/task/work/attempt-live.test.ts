import { expect, test } from 'vitest';
import { NOTHING_LIVE, withAttemptList, withAttemptStep, withAttemptText } from './attempt-live.ts';

const piece = (text: string, offset: number, messageId = 'msg_1') => ({ messageId, text, offset });

test('pieces of a text are joined; one that is repeated changes nothing, behind a missing one it begins anew', () => {
  const two = [piece('Hel', 0), piece('lo', 3)].reduce(withAttemptText, NOTHING_LIVE);
  expect(two.text?.text).toBe('Hello');
  expect(withAttemptText(two, piece('lo', 3))).toBe(two);
  expect(withAttemptText(two, piece('again', 9)).text).toEqual({
    ...piece('again', 9),
    offset: undefined,
    start: 9,
  });
  expect(withAttemptText(two, piece('Next', 0, 'msg_2')).text?.text).toBe('Next');
});

test('a list does not undo a step that came after it was asked for', () => {
  const step = { id: 's', kind: 'read', title: 'Read', status: 'done' } as const;
  const live = withAttemptStep(NOTHING_LIVE, step, 1);
  const listed = withAttemptList(live, [{ ...step, status: 'running' }], 0);
  expect(listed.steps.steps).toEqual([step]);
  expect(listed.steps.isRead).toBe(true);
});
