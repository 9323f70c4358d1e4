import { QueryClient } from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { keys } from '../../../lib/queries/keys.ts';
import { FRAME_WITHIN_MS, hasSessionFrame } from './session-frame.ts';

describe('after a chat was opened', () => {
  let client: QueryClient;
  const set = (agentId: string, chatStatus: 'none' | 'starting') =>
    client.setQueryData(keys.agentSessions('prj_1'), (known: object | undefined) => ({
      ...known,
      [agentId]: { chat: 0, chatStatus },
    }));
  beforeEach(() => {
    vi.useFakeTimers();
    client = new QueryClient();
    set('agt_1', 'none');
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('a frame about the session of its agent is noticed', async () => {
    const told = hasSessionFrame(client, 'prj_1', 'agt_1');
    set('agt_1', 'starting');
    expect(await told).toBe(true);
  });

  test('without one about this agent the session has to be read', async () => {
    const told = hasSessionFrame(client, 'prj_1', 'agt_1');
    set('agt_2', 'starting');
    await vi.advanceTimersByTimeAsync(FRAME_WITHIN_MS);
    expect(await told).toBe(false);
  });
});
