import type { Message } from '@aizuchi/shared/contract/chat';
import { describe, expect, test } from 'vitest';
import { withPending } from '../list/pending-rows.ts';
import { messageRows } from '../list/rows.ts';
import { EMPTY_TIMELINE, reduceTimeline, type Timeline, type TimelineEvent } from './timeline.ts';

const message = (seq: number, part: Partial<Message> = {}): Message => ({
  id: `msg_${seq}`,
  projectId: 'prj_a',
  senderId: 'agt_a',
  senderName: 'A',
  sender: 'agent',
  content: `text ${seq}`,
  createdAt: '2026-11-21T10:00:00.000Z',
  visible: true,
  state: 'answered',
  seq,
  ...part,
});
const after = (...events: TimelineEvent[]): Timeline => events.reduce(reduceTimeline, EMPTY_TIMELINE);
const delta = (offset: number, text: string, messageId = 'msg_9'): TimelineEvent => ({
  type: 'delta',
  messageId,
  offset,
  text,
  at: 5,
});

describe('a streamed answer', () => {
  test('is put together from deltas, also when some are repeated', () => {
    const { streaming } = after(delta(0, 'Hel'), delta(3, 'lo '), delta(3, 'lo '), delta(6, 'you'));
    expect(streaming).toEqual([{ messageId: 'msg_9', start: 0, text: 'Hello you', since: 5 }]);
  });

  test('keeps its text when a delta is missing', () => {
    expect(after(delta(0, 'Hel'), delta(9, 'world')).streaming[0]?.text).toBe('Hel');
  });

  test('is shown from the first received delta', () => {
    expect(after(delta(40, 'the end')).streaming[0]).toMatchObject({ start: 40, text: 'the end' });
  });

  test('becomes the message in the same row; a late delta changes nothing', () => {
    const grown = after(delta(0, 'Hel'));
    const [before] = withPending(messageRows(grown), [], grown.streaming, 'owner');
    const done = reduceTimeline(grown, { type: 'frame', message: message(9), at: 6 });
    const late = reduceTimeline(done, delta(3, 'lo'));
    expect(late.streaming).toEqual([]);
    expect(messageRows(late).at(-1)?.key).toBe(before?.key);
  });

  test('is removed when it is abandoned or discarded', () => {
    expect(after(delta(0, 'Hel'), { type: 'stream_abandoned' }).streaming).toEqual([]);
    expect(after(delta(0, 'Hel'), { type: 'discarded', messageId: 'msg_9' }).streaming).toEqual([]);
    expect(after(delta(0, 'Hel'), { type: 'discarded', messageId: 'msg_8' }).streaming).toHaveLength(1);
  });

  test('stays while another one grows: it may wait for a person', () => {
    const two = after(delta(0, 'Let me ask.', 'msg_8'), delta(0, 'At noon'), delta(11, ' Thanks.', 'msg_8'));
    expect(two.streaming).toMatchObject([
      { messageId: 'msg_8', text: 'Let me ask. Thanks.' },
      { messageId: 'msg_9', text: 'At noon' },
    ]);
    expect(reduceTimeline(two, { type: 'discarded', messageId: 'msg_8' }).streaming).toHaveLength(1);
  });
});

describe('the steps of an answer', () => {
  const step = (id: string, status: 'running' | 'done', messageId = 'msg_9'): TimelineEvent => ({
    type: 'step',
    messageId,
    step: { id, kind: 'read', title: id, status },
    at: 5,
  });
  const idsOf = (timeline: Timeline, messageId = 'msg_9') =>
    timeline.steps[messageId]?.steps.map(({ id }) => id);

  test('give it a row before its text; a text that begins later starts where it was first seen', () => {
    const begun = after(step('s1', 'running'));
    expect(begun.streaming).toEqual([{ messageId: 'msg_9', start: 0, text: '', since: 5 }]);
    expect(reduceTimeline(begun, delta(40, 'end')).streaming).toMatchObject([{ start: 40, text: 'end' }]);
  });

  test('stay when the answer is stored, and follow its late frames', () => {
    const done: TimelineEvent = { type: 'frame', message: message(9, { steps: 1 }), at: 6 };
    const late = after(step('s1', 'running'), done, step('s1', 'done'));
    expect(late.streaming).toEqual([]);
    expect(late.steps.msg_9?.steps[0]?.status).toBe('done');
  });

  test('of a stored answer that this tab has not seen grow, one frame is not taken for all steps', () => {
    const stored: TimelineEvent = { type: 'frame', message: message(9, { steps: 8 }), at: 6 };
    expect(after(stored, step('s8', 'done')).steps).toEqual({});
  });

  test('are removed with an answer that is discarded or abandoned', () => {
    expect(after(step('s1', 'running'), { type: 'discarded', messageId: 'msg_9' }).steps).toEqual({});
    const gone = after(step('s1', 'running'), { type: 'stream_abandoned' });
    expect([gone.steps, gone.streaming]).toEqual([{}, []]);
  });

  test('of an answer that waits for a person stay while another answer is streamed', () => {
    const two = after(step('s1', 'running', 'msg_8'), delta(0, 'Hello'));
    expect(two.streaming.map(({ messageId }) => messageId)).toEqual(['msg_8', 'msg_9']);
    expect(idsOf(two, 'msg_8')).toEqual(['s1']);
  });

  test('a list that was read adds what came before this tab listened', () => {
    const known = after(step('s2', 'running'));
    const list: TimelineEvent = {
      type: 'steps',
      messageId: 'msg_9',
      steps: ['s1', 's2'].map((id) => ({ id, kind: 'read', title: id, status: 'done' })),
      revisionAtRequest: known.revision,
      at: 7,
    };
    expect(idsOf(reduceTimeline(known, list))).toEqual(['s1', 's2']);
  });

  test('of many answers are dropped, the oldest first', () => {
    const events = Array.from({ length: 30 }, (_, index) => [
      step('s1', 'done', `msg_${index + 1}`),
      { type: 'frame', message: message(index + 1, { steps: 1 }), at: 6 } as const,
    ]).flat();
    const kept = Object.keys(after(...events).steps);
    expect([kept.length, kept.includes('msg_1'), kept.includes('msg_30')]).toEqual([20, false, true]);
  });
});

test('an older page that was requested before a frame does not undo the frame', () => {
  const own = (state: Message['state']) => message(1, { sender: 'user', state });
  const page = (kind: 'newest' | 'older', messages: Message[]): TimelineEvent => ({
    type: 'page',
    kind,
    page: { messages, hasMore: kind === 'newest', totalCount: 2 },
    revisionAtRequest: 0,
  });
  const frame = (state: Message['state']): TimelineEvent => ({ type: 'frame', message: own(state), at: 1 });
  const read = [page('newest', [message(2)]), frame('failed'), page('older', [own('stored')])];
  expect(after(...read).messages.map(({ state }) => state)).toEqual(['failed', 'answered']);
  expect(after(...read, frame('stored'), page('older', [own('failed')])).messages[0]?.state).toBe('stored');
});

test('a newer page that was requested before a frame does not undo the frame', () => {
  const own = message(1, { sender: 'user', state: 'stored' });
  const timeline = after(
    {
      type: 'page',
      kind: 'newest',
      page: { messages: [own], hasMore: false, totalCount: 1 },
      revisionAtRequest: 0,
    },
    { type: 'frame', message: { ...own, state: 'delivered' }, at: 2 },
    {
      type: 'page',
      kind: 'newer',
      page: { messages: [own], hasMore: false, totalCount: 1 },
      revisionAtRequest: 0,
    },
  );
  expect(timeline.messages[0]?.state).toBe('delivered');
});

test('the receipt has the times that this tab observed', () => {
  const own = message(1, { sender: 'user', state: 'stored' });
  const timeline = after(
    { type: 'acknowledged', clientMessageId: 'c', message: own, at: 100 },
    { type: 'frame', message: { ...own, state: 'delivered' }, at: 108 },
    { type: 'frame', message: { ...own, state: 'answered' }, at: 3_000 },
  );
  expect(timeline.stateTimes.msg_1).toEqual({ stored: 100, delivered: 108, answered: 3_000 });
  expect(messageRows(timeline).at(-1)?.key).toBe('c');
});

test('rows have dividers for days and unread messages, and the time of an answer', () => {
  const rows = messageRows(
    {
      messages: [
        message(1, { sender: 'user', createdAt: '2026-11-19T10:00:00.000Z' }),
        message(2, { createdAt: '2026-11-19T10:00:02.800Z' }),
        message(3, { createdAt: '2026-11-21T10:00:00.000Z' }),
      ],
      sentAs: {},
      hasOlder: false,
    },
    'msg_3',
  );
  expect(rows.map(({ kind }) => kind)).toEqual(['day', 'message', 'message', 'day', 'unread', 'message']);
  expect(rows[2]).toMatchObject({ tookMs: 2_800 });
  expect(rows[5]).not.toHaveProperty('tookMs');
});
