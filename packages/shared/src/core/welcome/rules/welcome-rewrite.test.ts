import { expect, test } from 'vitest';
import { decideWelcomeRewrite, type WelcomeState, type WelcomeWords } from './welcome-rewrite.ts';

const words = (of: string): WelcomeWords => ({
  ownerName: `${of} owner`,
  project: { name: `${of} project`, description: `${of} text` },
  guide: { name: `${of} guide`, role: 'g' },
  helper: { name: `${of} helper`, role: 'h' },
  tasks: [
    { title: `${of} start`, description: 'a' },
    { title: `ask ${of} guide`, description: 'b' },
  ],
});
const [from, to] = [words('old'), words('new')];
const untouched: WelcomeState = {
  owner: { name: 'old owner', role: null },
  project: from.project,
  guide: from.guide,
  helper: from.helper,
  tasks: from.tasks.map((task, n) => ({ id: `tsk_${n}`, ...task })),
};

test('everything that is as it was written is written in the other language', () => {
  expect(decideWelcomeRewrite(untouched, from, to)).toEqual({
    ownerName: 'new owner',
    project: to.project,
    guide: to.guide,
    helper: to.helper,
    tasks: to.tasks.map((task, n) => ({ id: `tsk_${n}`, ...task })),
  });
});

test('what was changed in one of its texts stays whole, and so does a task that names an agent that stays', () => {
  const state = {
    ...untouched,
    project: { ...from.project, description: 'mine' },
    guide: { ...from.guide, role: 'mine' },
    tasks: [...untouched.tasks, { id: 'tsk_mine', title: 'old start', description: 'mine' }],
  };
  expect(decideWelcomeRewrite(state, from, to)).toEqual({
    ownerName: 'new owner',
    helper: to.helper,
    tasks: [{ id: 'tsk_0', ...to.tasks[0] }],
  });
});

test('what was deleted is not made again', () => {
  expect(decideWelcomeRewrite({ tasks: [] }, from, to)).toEqual({ tasks: [] });
});
