import { isOfLog, isOfMemory, keys } from '@aizuchi/shared/platform/change-log/keys';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Peers } from './peers.ts';

describe('Peers', () => {
  let now = 0;
  const clock = { now: () => new Date(now) };
  const peers: Peers[] = [];
  const superseded: string[] = [];

  /** Processes that receive every notification of each other, as on one database. */
  function start(instanceId: string): Peers {
    const peer: Peers = new Peers({
      instanceId,
      clock,
      notify: (keys) => {
        sent.push(...keys);
        for (const one of [...peers]) one.onKeys(keys);
      },
      onNewerCall: (sessionId, before) => superseded.push(`${instanceId}: ${sessionId} before ${before}`),
    });
    peers.push(peer);
    peer.start();
    return peer;
  }
  const sent: string[] = [];

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    now = 1_000;
  });
  afterEach(() => {
    for (const peer of peers.splice(0)) peer.stop();
    sent.length = 0;
    superseded.length = 0;
    vi.useRealTimers();
  });

  test('without other processes a held call costs no notification', () => {
    const one = start('one');
    sent.length = 0;
    one.announceCall('ses_1');
    expect(sent).toEqual([]);
  });

  test('what is stored in a memory announces no process, and a process nothing in a memory', () => {
    const one = start('one');
    expect(sent.filter((key) => isOfMemory(key) || isOfLog(key))).toEqual([]);
    one.onKeys([keys.memory('agt_1')]);
    expect(one.count).toBe(0);
    start('two');
    expect(one.count).toBe(1);
  });

  test('a call at another process ends the older one here, in both directions, and never a call of the same process', () => {
    const one = start('one');
    const two = start('two');
    now = 5_000;
    two.announceCall('ses_1');
    one.announceCall('ses_2');
    expect(superseded).toEqual(['one: ses_1 before 5000', 'two: ses_2 before 5000']);
  });

  test('a process that has ended is forgotten, and then nothing is announced', () => {
    const one = start('one');
    start('two').stop();
    peers.pop();
    now += 31_000;
    vi.advanceTimersByTime(10_000);
    sent.length = 0;
    one.announceCall('ses_1');
    expect(sent).toEqual([]);
  });
});
