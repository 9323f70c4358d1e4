import { expect, test } from 'vitest';
import { type TriggerFacts, triggerOf } from './trigger.ts';

const facts: TriggerFacts = {
  status: 'in_progress',
  assignee: { type: 'ai', maxParallelTasks: 1 },
  unfinished: 0,
  isPaused: false,
  hasHost: true,
  busyWith: 0,
};

test.each<[Partial<TriggerFacts>, string]>([
  [{}, 'starts'],
  [{ status: 'todo' }, 'would_start'],
  [{ status: 'blocked' }, 'would_start'],
  [{ status: 'todo', unfinished: 2 }, 'waits_dependencies'],
  [{ isPaused: true }, 'waits_paused'],
  [{ hasHost: false }, 'waits_host'],
  [{ hasHost: undefined }, 'starts'],
  [{ busyWith: 1 }, 'waits_place'],
  [{ status: 'backlog' }, 'none'],
  [{ status: 'done' }, 'none'],
  [{ assignee: undefined }, 'none'],
  [{ assignee: { type: 'human', maxParallelTasks: 1 } }, 'none'],
])('%o: %s', (change, trigger) => {
  expect(triggerOf({ ...facts, ...change })).toBe(trigger);
});
