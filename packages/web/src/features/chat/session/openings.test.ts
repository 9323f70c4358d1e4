import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Openings, TAKEN_WITHIN_MS } from './openings.ts';

const STARTED = { status: 'started' } as const;

describe('the chats that a tab has open', () => {
  let calls: string[];
  let finish: (() => void)[];
  let openings: Openings;
  beforeEach(() => {
    vi.useFakeTimers();
    calls = [];
    finish = [];
    const send = <T>(call: string, result: T) =>
      new Promise<T>((resolve) => {
        calls.push(call);
        finish.push(() => resolve(result));
      });
    openings = new Openings({
      open: (_pid, aid) => send(`open ${aid}`, STARTED),
      close: (_pid, aid) => send(`close ${aid}`, undefined),
    });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  const finishNext = async () => {
    finish.shift()?.();
    await vi.advanceTimersByTimeAsync(0);
  };

  test('a panel takes over the call that was sent before it was drawn', async () => {
    openings.openEarly('prj_1', 'agt_1');
    const opened = openings.open('prj_1', 'agt_1');
    await finishNext();
    expect(await opened).toEqual(STARTED);
    await vi.advanceTimersByTimeAsync(2 * TAKEN_WITHIN_MS);
    expect(calls).toEqual(['open agt_1']);
  });

  test('a chat whose panel never comes is closed again', async () => {
    openings.openEarly('prj_1', 'agt_1');
    await finishNext();
    await vi.advanceTimersByTimeAsync(TAKEN_WITHIN_MS);
    expect(calls).toEqual(['open agt_1', 'close agt_1']);
  });

  test('a chat that is shown is not opened once more, and again after it was closed', async () => {
    void openings.open('prj_1', 'agt_1');
    await finishNext();
    openings.openEarly('prj_1', 'agt_1');
    expect(calls).toEqual(['open agt_1']);
    void openings.close('prj_1', 'agt_1');
    await finishNext();
    openings.openEarly('prj_1', 'agt_1');
    expect(calls).toEqual(['open agt_1', 'close agt_1', 'open agt_1']);
  });

  test('a close does not overtake the opening before it; another chat does not wait', async () => {
    void openings.open('prj_1', 'agt_1');
    void openings.close('prj_1', 'agt_1');
    void openings.open('prj_1', 'agt_2');
    expect(calls).toEqual(['open agt_1', 'open agt_2']);
    await finishNext();
    expect(calls).toEqual(['open agt_1', 'open agt_2', 'close agt_1']);
  });
});
