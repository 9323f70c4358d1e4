import { expect, test } from 'vitest';
import { messageOf } from './message.ts';

test('a mention in a comment leads to the comment, one in a message to the message', () => {
  const reader = { locale: 'en', timeZone: 'UTC', hidesText: false } as const;
  const known = { names: new Map(), questions: new Map() };
  const mention = (more: { taskId: string } | { agentId: string }) => ({
    kind: 'mention' as const,
    projectId: 'prj_a',
    refId: 'ref_1',
    createdAt: '2026-11-28T12:00:00.000Z',
    title: 'cc @Ann',
    ...more,
  });
  const pathOf = (item: ReturnType<typeof mention>) =>
    messageOf('ntf_1', [{ section: 'others', item, others: [] }], 1, reader, known).path;
  expect(pathOf(mention({ taskId: 'tsk_1' }))).toBe('/projects/prj_a?task=tsk_1&comment=ref_1');
  expect(pathOf(mention({ agentId: 'agt_a' }))).toBe('/projects/prj_a?agent=agt_a&message=ref_1');
});
