import { expect, test } from 'vitest';
import { activityLines } from './activity-lines.ts';

const at = (minute: number) => new Date(Date.UTC(2026, 10, 21, 12, minute)).toISOString();
const comment = (id: string, minute: number) => ({ id, body: id, createdAt: at(minute) });
const change = (minute: number) => ({ at: at(minute), field: 'status' as const, from: null, to: 'todo' });

test('comments, changes and attempts are one line in time, those of one moment in this order', () => {
  const lines = activityLines({
    comments: [comment('early', 1), comment('report', 5)],
    history: [change(0), change(5)],
    attempts: [
      { n: 1, agentId: 'agt_1', startedAt: at(2), endedAt: at(5), outcome: 'done' },
      { n: 2, agentId: 'agt_1', startedAt: at(6) },
    ],
  });
  expect(lines.map(({ kind, at: time }) => [kind, new Date(time).getUTCMinutes()])).toEqual([
    ['change', 0],
    ['comment', 1],
    ['begun', 2],
    ['change', 5],
    ['ended', 5],
    ['comment', 5],
    ['begun', 6],
  ]);
});
