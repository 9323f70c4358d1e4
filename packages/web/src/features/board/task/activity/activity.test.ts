import { expect, test } from 'vitest';
import { timelineOf } from './activity.ts';

test('changes, attempts and comments stand in one order; an open attempt has not ended', () => {
  const at = (second: number) => new Date(Date.UTC(2026, 10, 27, 9, 0, second)).toISOString();
  const timeline = timelineOf({
    entries: [
      { at: at(0), byId: 'owner', field: 'status', from: null, to: 'todo' },
      { at: at(2), byId: 'owner', field: 'status', from: 'todo', to: 'in_progress' },
    ],
    attempts: [
      { n: 1, agentId: 'agt_1', startedAt: at(2), endedAt: at(5), outcome: 'done' },
      { n: 2, agentId: 'agt_1', startedAt: at(7) },
    ],
    comments: [{ id: 'cmt_1', authorId: 'agt_1', body: 'Done.', createdAt: at(5) }],
  });
  expect(timeline.map(({ id }) => id)).toEqual([
    'change 0',
    'change 1',
    'began 1',
    'cmt_1',
    'ended 1',
    'began 2',
  ]);
});
