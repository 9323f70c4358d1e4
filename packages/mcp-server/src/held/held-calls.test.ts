import { afterEach, describe, expect, test, vi } from 'vitest';
import { HeldCalls, type HeldRequest, type HoldOutcome } from './held-calls.ts';

const nobodyLeaves = () => undefined;
afterEach(() => void vi.useRealTimers());
const request = (id: string): HeldRequest => ({ id, key: `key-${id}` });

/** A room over values that the test sets. Every read can be kept open, so that the test can act meanwhile. */
function setUp(options: { chunkSize?: number; mayResume?: () => boolean } = {}) {
  const values = new Map<string, string>();
  const reads: string[][] = [];
  const failures: unknown[] = [];
  let failure: Error | undefined;
  let gate: PromiseWithResolvers<void> | undefined;
  const room = new HeldCalls<HeldRequest, string>({
    read: async (requests) => {
      const answer = new Map(requests.map(({ id }) => [id, values.get(id) ?? 'nothing yet']));
      reads.push(requests.map(({ id }) => id));
      await gate?.promise;
      if (failure) throw failure;
      return answer;
    },
    isReady: (value) => value !== 'nothing yet',
    onReadError: (error) => failures.push(error),
    ...options,
  });
  return {
    room,
    values,
    reads,
    failures,
    fail: (error: Error | undefined) => {
      failure = error;
    },
    hold: () => {
      gate = Promise.withResolvers();
      return gate.resolve;
    },
    settle: () => new Promise<void>((resolve) => setImmediate(resolve)),
  };
}

function watch<T>(outcome: Promise<HoldOutcome<T>>): { current: HoldOutcome<T> | undefined } {
  const seen: { current: HoldOutcome<T> | undefined } = { current: undefined };
  void outcome.then((value) => {
    seen.current = value;
  });
  return seen;
}

describe('HeldCalls', () => {
  test('without hold it reads once and answers', async () => {
    const { room, reads } = setUp();
    expect(await room.wait(request('a'), 0, nobodyLeaves)).toEqual({ kind: 'nothing', value: 'nothing yet' });
    expect(reads).toEqual([['a']]);
    expect(room.size).toBe(0);
  });

  test('a value that is there already is answered at once', async () => {
    const { room, values } = setUp();
    values.set('a', 'go');
    expect(await room.wait(request('a'), 60_000, nobodyLeaves)).toEqual({ kind: 'ready', value: 'go' });
  });

  test('a hint answers the waiters of its key, and no others', async () => {
    const { room, values, reads, settle } = setUp();
    const a = watch(room.wait(request('a'), 60_000, nobodyLeaves));
    const b = watch(room.wait(request('b'), 60_000, nobodyLeaves));
    await settle();
    values.set('a', 'go');
    room.wake(['key-a', 'key-of-nobody']);
    await settle();
    expect([a.current, b.current]).toEqual([{ kind: 'ready', value: 'go' }, undefined]);
    expect(reads.at(-1)).toEqual(['a']);
    room.stop();
  });

  test('the keys of one notification are one read; keys that arrive meanwhile are the next read', async () => {
    const { room, reads, hold, settle } = setUp();
    for (const id of ['a', 'b', 'c']) void room.wait(request(id), 60_000, nobodyLeaves);
    await settle();
    reads.length = 0;
    const release = hold();
    room.wake(['key-a', 'key-b']);
    await settle();
    room.wake(['key-c']);
    room.wake(['key-b', 'key-c']);
    await settle();
    expect(reads).toEqual([['a', 'b']]);
    release();
    await settle();
    expect(reads).toEqual([
      ['a', 'b'],
      ['c', 'b'],
    ]);
    room.stop();
  });

  test('a change during the first read is not missed', async () => {
    const { room, values, hold, settle } = setUp();
    const release = hold();
    const a = watch(room.wait(request('a'), 60_000, nobodyLeaves));
    await settle();
    // The read has taken its snapshot and has not returned yet; meanwhile there is a change.
    values.set('a', 'go');
    room.wake(['key-a']);
    release();
    await settle();
    expect(a.current).toEqual({ kind: 'ready', value: 'go' });
  });

  test('a check of all goes in chunks and does not delay the waiters that were woken', async () => {
    const { room, reads, hold, settle } = setUp({ chunkSize: 2 });
    for (const id of ['a', 'b', 'c', 'd', 'e']) void room.wait(request(id), 60_000, nobodyLeaves);
    await settle();
    reads.length = 0;
    const release = hold();
    room.wakeAll();
    await settle();
    room.wake(['key-e']);
    await settle();
    expect(reads).toEqual([['a', 'b'], ['e']]);
    release();
    await settle();
    expect(reads.slice(2)).toEqual([['c', 'd'], ['e']]);
    room.stop();
  });

  test('a check of all first asks who has news, and reads only for those', async () => {
    const news: string[] = [];
    const values = new Map<string, string>();
    const reads: string[][] = [];
    const room = new HeldCalls<HeldRequest, string>({
      read: async (requests) => {
        reads.push(requests.map(({ id }) => id));
        return values;
      },
      isReady: () => true,
      withNews: async () => news,
      onReadError: (error) => {
        throw error;
      },
    });
    const outcomes = ['a', 'b'].map((id) => watch(room.wait(request(id), 60_000, nobodyLeaves)));
    await new Promise<void>((resolve) => setImmediate(resolve));
    reads.length = 0;
    room.wakeAll();
    await new Promise<void>((resolve) => setImmediate(resolve));
    expect(reads).toEqual([]);
    news.push('b');
    values.set('b', 'go');
    room.wakeAll();
    await new Promise<void>((resolve) => setImmediate(resolve));
    expect(reads).toEqual([['b']]);
    expect(outcomes.map((outcome) => outcome.current)).toEqual([undefined, { kind: 'ready', value: 'go' }]);
    room.stop();
  });

  test('it ends without news when its time is over, however long the first read takes', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const { room, hold, settle } = setUp();
      const parked = watch(room.wait(request('a'), 1_000, nobodyLeaves));
      await settle();
      const release = hold();
      const reading = watch(room.wait(request('b'), 1_000, nobodyLeaves));
      await settle();
      vi.advanceTimersByTime(1_000);
      await settle();
      expect([parked.current, reading.current]).toEqual([{ kind: 'nothing', value: undefined }, undefined]);
      release();
      await settle();
      expect(reading.current).toEqual({ kind: 'nothing', value: 'nothing yet' });
    } finally {
      vi.useRealTimers();
    }
  });

  test('a newer call ends the older ones of its id, and no call that was opened later', async () => {
    const { room, settle } = setUp();
    const older = watch(room.wait(request('a'), 60_000, nobodyLeaves));
    const other = watch(room.wait(request('b'), 60_000, nobodyLeaves));
    room.supersede('a', Date.now() - 60_000);
    await settle();
    expect(older.current).toBeUndefined();
    room.supersede('a');
    await settle();
    expect([older.current, other.current]).toEqual([{ kind: 'superseded' }, undefined]);
    room.stop();
  });

  test('who does something else is read again at once, and nobody else', async () => {
    const { room, values, reads, settle } = setUp();
    const outcomes = ['a', 'b'].map((id) => watch(room.wait(request(id), 60_000, nobodyLeaves)));
    await settle();
    reads.length = 0;
    for (const id of ['a', 'b']) values.set(id, 'go');
    room.disturb(request('a'));
    await settle();
    expect(reads).toEqual([['a']]);
    expect(outcomes.map(({ current }) => current)).toEqual([{ kind: 'ready', value: 'go' }, undefined]);
    room.stop();
  });

  test('a waiter that has left is forgotten and not read for', async () => {
    const { room, reads, settle } = setUp();
    let leave: () => void = () => undefined;
    const a = watch(
      room.wait(request('a'), 60_000, (onLeave) => {
        leave = onLeave;
      }),
    );
    await settle();
    reads.length = 0;
    leave();
    room.wake(['key-a']);
    room.wakeAll();
    await settle();
    expect([a.current, room.size, reads]).toEqual([{ kind: 'gone' }, 0, []]);
  });

  test('a failed read is an error for a new waiter; the others continue to wait', async () => {
    const { room, values, failures, fail, settle } = setUp();
    const parked = watch(room.wait(request('a'), 60_000, nobodyLeaves));
    await settle();
    const away = new Error('database away');
    fail(away);
    room.wakeAll();
    const fresh = room.wait(request('b'), 60_000, nobodyLeaves);
    expect(await fresh).toEqual({ kind: 'failed', error: away });
    await settle();
    expect([parked.current, failures]).toEqual([undefined, [away]]);
    fail(undefined);
    values.set('a', 'go');
    room.wakeAll();
    await settle();
    expect(parked.current).toEqual({ kind: 'ready', value: 'go' });
  });

  test('a value may name another key at which its waiter checks again, until its call ends', async () => {
    const values = new Map([['a', 'behind']]);
    const reads: string[][] = [];
    let meanwhile: (() => void) | undefined;
    const room = new HeldCalls<HeldRequest, string>({
      read: async (requests) => {
        const answer = new Map(requests.map(({ id }) => [id, values.get(id) ?? 'nothing']));
        reads.push(requests.map(({ id }) => id));
        meanwhile?.();
        return answer;
      },
      isReady: (value) => value === 'go',
      alsoAt: (value) => (value === 'behind' ? 'other-key' : undefined),
      onReadError: (error) => {
        throw error;
      },
      mayResume: () => true,
    });
    const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
    const parked = watch(room.wait(request('b'), 60_000, nobodyLeaves));
    await settle();
    reads.length = 0;
    // The hint comes before the value is known to need it: it is not missed.
    meanwhile = () => {
      meanwhile = undefined;
      values.set('a', 'behind still');
      room.wake(['other-key']);
    };
    const a = watch(room.wait(request('a'), 60_000, nobodyLeaves));
    await settle();
    expect(reads).toEqual([['a'], ['a']]);
    values.set('a', 'go');
    room.wake(['other-key']);
    await settle();
    expect([a.current, parked.current]).toEqual([{ kind: 'ready', value: 'go' }, undefined]);
    room.wake(['other-key']);
    await settle();
    expect(reads).toHaveLength(3);
    room.stop();
  });

  test('stopping answers every waiter, and later ones at once', async () => {
    const { room, settle } = setUp();
    const a = watch(room.wait(request('a'), 60_000, nobodyLeaves));
    await settle();
    room.stop();
    expect(await room.wait(request('b'), 60_000, nobodyLeaves)).toEqual({ kind: 'stopped' });
    await settle();
    expect([a.current, room.size]).toEqual([{ kind: 'stopped' }, 0]);
  });
});

describe('a call that comes back after a hold without news', () => {
  const HOLD_MS = 25_000;

  /** A first hold of `a` has ended without news. */
  async function afterOneHold(mayResume?: () => boolean) {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const world = setUp(mayResume === undefined ? {} : { mayResume });
    const first = watch(world.room.wait(request('a'), HOLD_MS, nobodyLeaves));
    await world.settle();
    vi.advanceTimersByTime(HOLD_MS);
    await world.settle();
    expect(first.current?.kind).toBe('nothing');
    const again = (holdMs = HOLD_MS) => watch(world.room.wait(request('a'), holdMs, nobodyLeaves));
    return { ...world, again };
  }

  test('it continues to wait without a read, is woken, and ends in time', async () => {
    const { again, room, values, reads, settle } = await afterOneHold(() => true);
    const second = again();
    await settle();
    expect(reads).toEqual([['a']]);
    vi.advanceTimersByTime(HOLD_MS);
    await settle();
    expect(second.current).toEqual({ kind: 'nothing', value: undefined });

    const third = again();
    values.set('a', 'go');
    room.wake(['key-a']);
    await settle();
    expect(third.current).toEqual({ kind: 'ready', value: 'go' });
    expect(reads).toEqual([['a'], ['a']]);
  });

  test('the slow poll finds it when its hint was lost', async () => {
    const { again, room, values, settle } = await afterOneHold(() => true);
    const second = again();
    values.set('a', 'go');
    room.wakeAll();
    await settle();
    expect(second.current).toEqual({ kind: 'ready', value: 'go' });
  });

  test.each([
    ['a hint came in between', (room: HeldCalls<HeldRequest, string>) => room.wake(['key-a'])],
    ['hints may have been missed', (room: HeldCalls<HeldRequest, string>) => room.wakeAll()],
    ['it did something else', (room: HeldCalls<HeldRequest, string>) => room.disturb(request('a'))],
  ])('reads when %s', async (_name, happens) => {
    const { again, room, values, settle } = await afterOneHold(() => true);
    happens(room);
    values.set('a', 'go');
    const second = again();
    await settle();
    expect(second.current).toEqual({ kind: 'ready', value: 'go' });
  });

  test('it reads when it holds only shortly, and when it was not allowed to continue without a read', async () => {
    const allowed = await afterOneHold(() => true);
    allowed.again(9_999);
    await allowed.settle();
    expect(allowed.reads).toHaveLength(2);
    let isAlone = true;
    const shared = await afterOneHold(() => isAlone);
    isAlone = false;
    shared.again();
    await shared.settle();
    expect(shared.reads).toHaveLength(2);
    const never = await afterOneHold();
    never.again();
    await never.settle();
    expect(never.reads).toHaveLength(2);
  });

  test('it reads when its hold ended while a read for it was under way: that answer was dropped', async () => {
    const { again, room, values, hold, settle, reads } = await afterOneHold(() => true);
    const second = again();
    const release = hold();
    values.set('a', 'go');
    room.wake(['key-a']);
    await settle();
    vi.advanceTimersByTime(HOLD_MS);
    await settle();
    expect(second.current).toEqual({ kind: 'nothing', value: undefined });
    release();
    await settle();
    const third = again();
    await settle();
    expect(third.current).toEqual({ kind: 'ready', value: 'go' });
    expect(reads).toHaveLength(3);
  });
});
