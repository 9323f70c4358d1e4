import { INBOX_KINDS, type InboxItem } from '@aizuchi/shared/contract/inbox';
import { inboxEntries } from '@aizuchi/shared/core/inbox/rules/inbox-entries';
import { expect, test } from 'vitest';
import { countOf, isShown } from './filters.ts';
import { FILTERS, readInboxSearch } from './inbox-search.ts';

const items = INBOX_KINDS.map(
  (kind, index): InboxItem => ({
    kind,
    agentId: `agt_${index}`,
    projectId: index % 2 === 0 ? 'prj_a' : 'prj_b',
    refId: `ref_${index}`,
    createdAt: '2026-11-22T00:00:00.000Z',
    title: kind,
  }),
);

test('every kind of item belongs to exactly one filter', () => {
  for (const item of items) expect(FILTERS.filter((kind) => isShown(item, { kind }))).toHaveLength(1);
  expect(countOf(inboxEntries(items), { kind: 'failure' })).toBe(2);
});

test('the project filter selects the items of the project', () => {
  const entries = inboxEntries(items);
  expect(countOf(entries, { project: 'prj_a' })).toBe(5);
  expect(countOf(entries, {})).toBe(entries.length);
});

test('what was put away has no filters', () => {
  expect(readInboxSearch({ list: 'put-away', kind: 'question', project: 'prj_a' })).toEqual({
    list: 'put-away',
  });
});

test('unknown search parameters are dropped', () => {
  expect(readInboxSearch({ list: 'other' })).toEqual({});
  expect(readInboxSearch({ kind: 'question', project: 'prj_a', other: 1 })).toEqual({
    kind: 'question',
    project: 'prj_a',
  });
  expect(readInboxSearch({ kind: 'everything', project: 7 })).toEqual({});
});
