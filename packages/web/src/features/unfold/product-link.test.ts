import fc from 'fast-check';
import { expect, test } from 'vitest';
import { productLinkOf } from './product-link.ts';

const ORIGIN = 'https://aizuchi.example';
const task = { kind: 'task', projectId: 'prj_a', id: 'tsk_1' };

test.each([
  ['/projects/prj_a?task=tsk_1', task],
  ['https://aizuchi.example/projects/prj_a?agent=agt_a&task=tsk_1#x', task],
  ['/projects/prj_a?task=tsk_1&agent=agt_a&message=msg_1', task],
  [
    '/projects/prj_a?agent=agt_a&message=msg_1',
    { kind: 'message', projectId: 'prj_a', agentId: 'agt_a', id: 'msg_1' },
  ],
  ['/projects/prj_a/runs?run=run_1', { kind: 'run', projectId: 'prj_a', id: 'run_1' }],
])('%j', (href, link) => {
  expect(productLinkOf(href, ORIGIN)).toEqual(link);
});

test.each([
  'https://elsewhere.example/projects/prj_a?task=tsk_1',
  '//elsewhere.example/projects/prj_a?task=tsk_1',
  'https://aizuchi.example@elsewhere.example/projects/prj_a?task=tsk_1',
  'https://me:secret@aizuchi.example/projects/prj_a?task=tsk_1',
  'javascript:alert(1)//projects/prj_a?task=tsk_1',
  '/projects/prj_a',
  '/projects/prj_a/settings?task=tsk_1',
  '/projects/..%2fagents?task=tsk_1',
  '/projects/prj_a?task=../agents',
  '/projects/prj_a?task=..',
  '/projects/prj_a/runs?run=.',
  '/projects/prj_a?task=Tsk_1',
  '/projects/prj_a?message=msg_1',
  '/projects/prj_a?agent=..&message=msg_1',
  '/projects/prj_a?agent=agt_a&message=..',
  'https://elsewhere.example/projects/prj_a?agent=agt_a&message=msg_1',
  'http://[',
])('%j is left as it is', (href) => {
  expect(productLinkOf(href, ORIGIN)).toBeUndefined();
});

test('of any address nothing but ids of this origin is taken', () => {
  fc.assert(
    fc.property(fc.oneof(fc.webUrl({ withQueryParameters: true }), fc.string()), (href) => {
      const link = productLinkOf(href, ORIGIN);
      const { kind: _kind, ...ids } = link ?? {};
      for (const id of Object.values(ids)) expect(id).toMatch(/^[a-z0-9_-]+$/);
      expect(productLinkOf(`//other.example/${href}`, ORIGIN)).toBeUndefined();
    }),
  );
});
