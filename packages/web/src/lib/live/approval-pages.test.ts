import type { Approval } from '@aizuchi/shared/contract/approval';
import { expect, test } from 'vitest';
import { type ApprovalPages, approvalOf, withDecision } from './approval-pages.ts';
import { cardsOf, withCard } from './card-pages.ts';

const asked = {
  type: 'approval_request',
  projectId: 'prj_a',
  cursor: 'c',
  id: 'a1',
  tool_use_id: 'a1',
  agent_id: 'agt_a',
  tool: 'Bash',
  kind: 'command',
  summary: 'Run the tests',
  input: { command: 'pnpm test' },
  timestamp: 1_000,
} as const;
const approval = (id: string, status: Approval['status'] = 'pending'): Approval => ({
  id,
  projectId: 'prj_a',
  agentId: 'agt_a',
  tool: 'Bash',
  kind: 'command',
  summary: 'Run',
  input: {},
  status,
  createdAt: '2026-11-21T10:00:00.000Z',
});
const pages = (...approvals: Approval[]): ApprovalPages => ({
  pages: [{ cards: approvals, nextCursor: null }],
  pageParams: [undefined],
});

test('a frame with its input is an approval; without it nothing is shown before it was read', () => {
  expect(approvalOf(asked)).toMatchObject({ id: 'a1', status: 'pending', input: { command: 'pnpm test' } });
  const { input: _input, ...large } = asked;
  expect(approvalOf(large)).toBeUndefined();
});

test('what was decided is never pending again', () => {
  const decided = withDecision(pages(approval('a1')), {
    type: 'approval_resolved',
    projectId: 'prj_a',
    cursor: 'c',
    id: 'a1',
    tool_use_id: 'a1',
    agent_id: 'agt_a',
    status: 'denied',
    note: 'still in use',
    decided_by: 'mori',
    decided_by_name: 'Mori',
  });
  expect(cardsOf(decided)).toMatchObject([{ status: 'denied', note: 'still in use', decidedByName: 'Mori' }]);
  expect(withCard(decided, approval('a1'))).toBe(decided);
});

test('a new approval comes first, an outcome replaces', () => {
  const data = withCard(pages(approval('a1')), approval('a2'));
  expect(cardsOf(data).map(({ id }) => id)).toEqual(['a2', 'a1']);
  expect(cardsOf(withCard(data, approval('a1', 'timeout')))[1]?.status).toBe('timeout');
});
