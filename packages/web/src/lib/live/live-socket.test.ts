import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { LiveSocket } from './live-socket.ts';
import type { LiveFrame } from './wire.ts';

/** A WebSocket whose server is simulated by the test. */
class FakeConnection {
  readyState = 0;
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: ((event: { code: number }) => void) | null = null;
  readonly sent: Record<string, unknown>[] = [];

  send(text: string): void {
    this.sent.push(JSON.parse(text) as Record<string, unknown>);
  }

  close(): void {
    this.readyState = 3;
  }

  accept(): void {
    this.readyState = 1;
    this.onopen?.();
  }

  say(frame: unknown): void {
    this.onmessage?.({ data: JSON.stringify(frame) });
  }

  end(code: number): void {
    this.readyState = 3;
    this.onclose?.({ code });
  }

  sentOf(type: string): Record<string, unknown>[] {
    return this.sent.filter((frame) => frame.type === type);
  }
}

const connections: FakeConnection[] = [];
const frames: LiveFrame[] = [];
const gaps: string[] = [];
const refused: string[] = [];
let unauthenticated = 0;
let inboxChanges = 0;
let projectsChanges = 0;

function createSocket(): LiveSocket {
  return new LiveSocket({
    open: () => {
      const connection = new FakeConnection();
      connections.push(connection);
      return connection as unknown as WebSocket;
    },
    csrf: () => 'csrf-of-this-origin',
    onFrame: (frame) => frames.push(frame),
    onGap: (projectId) => gaps.push(projectId),
    onInbox: () => {
      inboxChanges += 1;
    },
    onProjects: () => {
      projectsChanges += 1;
    },
    onRefused: (projectId) => refused.push(projectId),
    onUnauthenticated: () => {
      unauthenticated += 1;
    },
    random: () => 1,
  });
}

const last = (): FakeConnection => {
  const connection = connections.at(-1);
  if (!connection) throw new Error('Nothing was opened.');
  return connection;
};
const change = (cursor: string, projectId = 'prj_a') => ({ type: 'unread_changed', projectId, cursor });
const subscribed = (cursor: string, reset = false) => ({
  type: 'subscribed',
  projectId: 'prj_a',
  cursor,
  reset,
});

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  for (const list of [connections, frames, gaps, refused]) list.length = 0;
  unauthenticated = 0;
  inboxChanges = 0;
  projectsChanges = 0;
});

describe('the live socket', () => {
  test('authenticates first, then subscribes', () => {
    const socket = createSocket();
    socket.follow('prj_a', 'viewer-1');
    socket.start();
    last().accept();
    expect(last().sent).toEqual([
      { type: 'auth', csrf: 'csrf-of-this-origin' },
      { type: 'ping' },
      { type: 'subscribe_inbox' },
      { type: 'subscribe', projectId: 'prj_a', viewerId: 'viewer-1' },
    ]);
    expect(socket.status.get().state).toBe('connecting');
    last().say({ type: 'pong' });
    expect(socket.status.get().state).toBe('open');
  });

  test('resumes after the last frame when the connection was lost, and reports a gap only when there is one', () => {
    const socket = createSocket();
    socket.follow('prj_a');
    socket.start();
    last().accept();
    last().say(subscribed('c1'));
    expect(gaps).toEqual(['prj_a']);
    last().say(change('c2'));
    last().end(1006);
    expect(socket.status.get().state).toBe('down');
    vi.advanceTimersByTime(250);
    last().accept();
    expect(last().sentOf('subscribe')).toEqual([{ type: 'subscribe', projectId: 'prj_a', cursor: 'c2' }]);
    last().say(change('c3'));
    last().say(subscribed('c3'));
    expect(gaps).toEqual(['prj_a']);
    expect(frames.map((frame) => 'cursor' in frame && frame.cursor)).toEqual(['c2', 'c3']);
  });

  test('receives changes of the inbox, and the cards of projects that it does not follow', () => {
    const socket = createSocket();
    socket.follow('prj_a');
    socket.start();
    last().accept();
    last().say({ type: 'inbox_changed' });
    expect(inboxChanges).toBe(1);
    last().say({ type: 'user_question', projectId: 'prj_b', tool_use_id: 'toolu_1' });
    last().say(change('c7', 'prj_b'));
    expect(frames.map(({ type, projectId }) => [type, projectId])).toEqual([['user_question', 'prj_b']]);
  });

  test('receives changes of the projects, and takes a lost connection for one: the frame may have been missed', () => {
    const socket = createSocket();
    socket.start();
    last().accept();
    last().say({ type: 'pong' });
    expect(projectsChanges).toBe(0);
    last().say({ type: 'projects_changed' });
    expect(projectsChanges).toBe(1);
    last().end(1006);
    vi.advanceTimersByTime(250);
    last().accept();
    last().say({ type: 'pong' });
    last().say({ type: 'pong' });
    expect(projectsChanges).toBe(2);
  });

  test('a reset because of an old cursor is reported as a gap', () => {
    const socket = createSocket();
    socket.follow('prj_a');
    socket.start();
    last().accept();
    last().say(subscribed('c1'));
    last().say(subscribed('c9', true));
    expect(gaps).toEqual(['prj_a', 'prj_a']);
  });

  test('frames of a replaced connection are ignored', () => {
    const socket = createSocket();
    socket.follow('prj_a');
    socket.start();
    const first = last();
    first.accept();
    first.end(1006);
    vi.advanceTimersByTime(250);
    first.say(change('c1'));
    expect(frames).toEqual([]);
  });

  test('the backoff grows to at most ten seconds, and starts again after the connection was open', () => {
    const socket = createSocket();
    socket.start();
    const waits: number[] = [];
    for (let attempt = 0; attempt < 8; attempt += 1) {
      last().end(1006);
      const before = connections.length;
      const startedAt = Date.now();
      while (connections.length === before) vi.advanceTimersByTime(50);
      waits.push(Date.now() - startedAt);
    }
    expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
    last().accept();
    last().say({ type: 'pong' });
    last().end(1006);
    vi.advanceTimersByTime(250);
    expect(connections).toHaveLength(10);
  });

  test('keeps since when it is down over all attempts', () => {
    const socket = createSocket();
    socket.start();
    last().accept();
    last().say({ type: 'pong' });
    last().end(1006);
    const { since } = socket.status.get();
    vi.advanceTimersByTime(250);
    expect(socket.status.get()).toEqual({ state: 'connecting', since });
    last().end(1006);
    expect(socket.status.get()).toEqual({ state: 'down', since });
  });

  test('a connection without a response in time is dropped', () => {
    const socket = createSocket();
    socket.start();
    last().accept();
    last().say({ type: 'pong' });
    vi.advanceTimersByTime(20_000);
    expect(last().sentOf('ping')).toHaveLength(2);
    vi.advanceTimersByTime(8_000);
    expect(socket.status.get().state).toBe('down');
  });

  test('a close because of an unknown sign-in is reported', () => {
    const socket = createSocket();
    socket.start();
    last().end(4401);
    expect(unauthenticated).toBe(1);
  });

  test('two followers of a project share a subscription, which carries the newest viewer id', () => {
    const socket = createSocket();
    const leave = socket.follow('prj_a');
    socket.start();
    last().accept();
    last().say(subscribed('c1'));
    const closePanel = socket.follow('prj_a', 'viewer-1');
    closePanel();
    closePanel();
    leave();
    expect(last().sent.slice(3)).toEqual([
      { type: 'subscribe', projectId: 'prj_a' },
      { type: 'subscribe', projectId: 'prj_a', cursor: 'c1', viewerId: 'viewer-1' },
      { type: 'subscribe', projectId: 'prj_a', cursor: 'c1' },
      { type: 'unsubscribe', projectId: 'prj_a' },
    ]);
    last().say(change('c2'));
    expect(frames).toEqual([]);
  });

  test('a project that the person may no longer follow is reported', () => {
    const socket = createSocket();
    socket.follow('prj_a');
    socket.start();
    last().accept();
    last().say({ type: 'error', code: 'project_not_found', message: 'gone', projectId: 'prj_a' });
    expect(refused).toEqual(['prj_a']);
  });

  test('a project that is given back is followed again, and what was read before the loss is stale', () => {
    const socket = createSocket();
    socket.follow('prj_a');
    socket.follow('prj_b');
    socket.start();
    last().accept();
    last().say(subscribed('c1'));
    last().say({ type: 'error', code: 'project_not_found', message: 'gone', projectId: 'prj_a' });
    last().say({ type: 'projects_changed' });
    expect(last().sentOf('subscribe').slice(2)).toEqual([{ type: 'subscribe', projectId: 'prj_a' }]);
    last().say({ type: 'user_question', projectId: 'prj_a', tool_use_id: 'toolu_1', cursor: 'c4' });
    last().say(subscribed('c5'));
    expect(gaps).toEqual(['prj_a', 'prj_a']);
    last().say({ type: 'projects_changed' });
    expect(last().sentOf('subscribe')).toHaveLength(3);
  });

  test.each(['unavailable', 'internal'])(
    'a subscription that fails (%s) is repeated from its cursor, each time after a longer delay',
    (code) => {
      const socket = createSocket();
      socket.follow('prj_a');
      const leave = socket.follow('prj_b');
      socket.start();
      last().accept();
      last().say(subscribed('c1'));
      const attempts = () => last().sentOf('subscribe').slice(2);
      const fail = (projectId: string) => last().say({ type: 'error', code, message: 'later', projectId });
      fail('prj_a');
      fail('prj_a');
      fail('prj_b');
      leave();
      vi.advanceTimersByTime(250);
      expect(attempts()).toEqual([{ type: 'subscribe', projectId: 'prj_a', cursor: 'c1' }]);
      fail('prj_a');
      vi.advanceTimersByTime(499);
      expect(attempts()).toHaveLength(1);
      vi.advanceTimersByTime(1);
      expect(attempts()).toHaveLength(2);
      last().say(subscribed('c2'));
      fail('prj_a');
      vi.advanceTimersByTime(250);
      expect(attempts().at(-1)).toEqual({ type: 'subscribe', projectId: 'prj_a', cursor: 'c2' });
      expect(connections).toHaveLength(1);
    },
  );

  test('so is that of the inbox, but not for an answer that was refused', () => {
    const socket = createSocket();
    socket.start();
    last().accept();
    last().say({ type: 'error', code: 'unavailable', message: 'later', tool_use_id: 'toolu_1' });
    vi.advanceTimersByTime(10_000);
    expect(last().sentOf('subscribe_inbox')).toHaveLength(1);
    last().say({ type: 'error', code: 'unavailable', message: 'later' });
    vi.advanceTimersByTime(250);
    expect(last().sentOf('subscribe_inbox')).toHaveLength(2);
    // Meanwhile nobody would have said that the projects have changed.
    last().say({ type: 'inbox_changed' });
    expect(projectsChanges).toBe(1);
    last().say({ type: 'inbox_changed' });
    expect(projectsChanges).toBe(1);
  });

  test('what was read before the first subscription is stale, also when a pending card comes before it', () => {
    const socket = createSocket();
    socket.follow('prj_a');
    socket.start();
    last().accept();
    last().say({ type: 'user_question', projectId: 'prj_a', tool_use_id: 'toolu_1', cursor: 'c0' });
    last().say(subscribed('c1'));
    expect(gaps).toEqual(['prj_a']);
  });

  test('an error confirms no sign-in: the backoff goes on growing', () => {
    const socket = createSocket();
    socket.start();
    for (const waitMs of [250, 500, 1_000]) {
      last().accept();
      last().say({ type: 'error', code: 'unavailable', message: 'later' });
      expect(socket.status.get().state).toBe('connecting');
      last().end(1006);
      const before = connections.length;
      vi.advanceTimersByTime(waitMs - 1);
      expect(connections).toHaveLength(before);
      vi.advanceTimersByTime(1);
      expect(connections).toHaveLength(before + 1);
    }
  });

  test('does not reconnect after it was stopped', () => {
    const socket = createSocket();
    socket.start();
    last().accept();
    socket.stop();
    vi.advanceTimersByTime(60_000);
    expect(connections).toHaveLength(1);
    expect(socket.status.get().state).toBe('off');
  });
});
