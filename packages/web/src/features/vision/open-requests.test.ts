import { expect, test } from 'vitest';
import { afterEvent, type CaptureRequest } from './open-requests.ts';

const asks = (id: string) =>
  JSON.stringify({
    event_id: 0,
    type: 'vision.capture_request',
    data: { request_id: id, source: `see ${id}` },
  });
const ends = (id: string) =>
  JSON.stringify({
    event_id: 0,
    type: 'vision.capture_resolved',
    data: { request_id: id, status: 'timeout' },
  });
const after = (...events: string[]) =>
  events.reduce<readonly CaptureRequest[]>((open, event) => afterEvent(open, event), []);

test('requests are open from their event to their end, in the order in which they came', () => {
  expect(after(asks('a'), asks('b'))).toEqual([
    { id: 'a', source: 'see a' },
    { id: 'b', source: 'see b' },
  ]);
  expect(after(asks('a'), asks('b'), ends('a')).map(({ id }) => id)).toEqual(['b']);
});

test('a stream that begins again tells what is open already: nothing changes', () => {
  const open = after(asks('a'));
  expect(afterEvent(open, asks('a'))).toBe(open);
});

test.each([
  '',
  'null',
  '[]',
  '{"type":"memory.stored","data":null}',
  '{"type":"vision.capture_request"}',
  'no',
])('what is not known changes nothing: %s', (text) => {
  const open = after(asks('a'));
  expect(afterEvent(open, text)).toBe(open);
});
