import { ToolRefused } from '@aizuchi/shared/mcp-client/tool-errors';
import { createLogger } from '@aizuchi/shared/platform/logger';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { AskActions, type AskActionsOptions } from './ask-actions.ts';

const SELF = {
  coordinator_id: 'c',
  host: 'h',
  boot_id: 'b',
  instance_id: 'i',
  capacity: 2,
  labels: [],
  roots: [],
  executor: 'process' as const,
};

interface Beat {
  readonly memory?: unknown;
  readonly pulling?: unknown;
  readonly as_of?: string;
  readonly keeps_egress?: true;
  readonly hold_seconds?: number;
}

interface AskMore {
  readonly look_for_programs?: true;
  readonly server_time?: string;
  readonly readings?: { run_id: string; memory_mb: number }[];
  readonly isAway?: boolean;
  readonly pulling?: { run_id: string; percent: number }[];
  /** It is of a release that knows no `pulling`. */
  readonly isOld?: boolean;
  /** This Coordinator keeps runs to their list. */
  readonly keepsEgress?: boolean;
  /** It is of the release before that, which knows no `keeps_egress`. */
  readonly isBefore?: boolean;
}

/**
 * A server that names one membership (a given number of times), and has a number of starts and some runs to
 * stop.
 */
function askWith(
  starts: number,
  stop: string[] = [],
  pairs = 1,
  {
    readings = [],
    isAway = false,
    pulling = [],
    isOld = false,
    isBefore = false,
    keepsEgress = false,
    ...more
  }: AskMore = {},
) {
  const looks: string[] = [];
  const running: string[] = [];
  const stopped: string[] = [];
  const asked: string[] = [];
  const beats: unknown[] = [];
  const pulls: unknown[] = [];
  const times: (string | undefined)[] = [];
  const kept: unknown[] = [];
  let left = starts;
  const client: AskActionsOptions['client'] = {
    // The fake answers the two tools that this loop calls.
    call: (async (tool: string, args: Beat) => {
      asked.push(tool);
      if (tool === 'wait_for_agent_actions') {
        if (isAway) throw new Error('away');
        if ((isOld || isBefore) && args.keeps_egress)
          throw new ToolRefused('invalid_input', 'Unrecognized key: "keeps_egress"');
        if (isOld && args.pulling) throw new ToolRefused('invalid_input', 'Unrecognized key: "pulling"');
        beats.push(args.memory);
        pulls.push([args.pulling, args.hold_seconds]);
        times.push(args.as_of);
        kept.push(args.keeps_egress);
        return {
          pairs: Array.from({ length: pairs }, () => ({ agent_id: 'a', project_id: 'p' })),
          stop: stop.map((run_id) => ({ run_id, reason: 'run_stopped' })),
          ...more,
        };
      }
      if (running.length >= SELF.capacity) return { action: 'hold', reason: 'capacity' };
      left -= 1;
      return left >= 0
        ? { action: 'start', reason: 'has_pending_purpose', run_id: `run_${left}` }
        : { action: 'hold', reason: 'no_pending_work' };
    }) as AskActionsOptions['client']['call'],
  };
  const runs: AskActionsOptions['runs'] = {
    get ids() {
      return running;
    },
    pulling,
    start: (_pair, action) => void running.push(action.run_id ?? ''),
    stop: (runId) => stopped.push(runId) === 1,
  };
  const worktrees = { carryOut: () => true };
  const told: unknown[] = [];
  const logger = createLogger('test', { level: 'silent' });
  return {
    ask: new AskActions({
      client,
      runs,
      worktrees,
      programs: { look: async () => void looks.push('looked') },
      memory: { changed: () => readings, told: (some) => void told.push(some) },
      logger,
      self: { ...SELF, ...(keepsEgress && { keeps_egress: true as const }) },
      holdSeconds: 5,
    }),
    running,
    stopped,
    looks,
    asked,
    told,
    beats,
    pulls,
    times,
    pulling,
    kept,
  };
}

test('starts are requested for a membership until it has no more', async () => {
  const { ask, running, asked } = askWith(1);
  expect(await ask.runOnce()).toEqual({ started: 1, stopped: 0, fruitless: 0 });
  expect(running).toEqual(['run_0']);
  expect(asked).toEqual(['wait_for_agent_actions', 'get_agent_action', 'get_agent_action']);
});

test('no more starts are taken than there are places; without a place it asks once', async () => {
  const { ask, running, asked } = askWith(5);
  expect((await ask.runOnce()).started).toBe(2);
  expect(running).toHaveLength(2);
  expect(asked.filter((tool) => tool === 'get_agent_action')).toHaveLength(2);
  expect(await ask.runOnce()).toMatchObject({ started: 0, fruitless: 1 });
  expect(asked.filter((tool) => tool === 'get_agent_action')).toHaveLength(3);
});

test('a run that is being stopped already counts as nothing new', async () => {
  const { ask, stopped } = askWith(0, ['run_x']);
  expect(await ask.runOnce()).toMatchObject({ stopped: 1 });
  expect(await ask.runOnce()).toMatchObject({ stopped: 0, fruitless: 2 });
  expect(stopped).toEqual(['run_x', 'run_x']);
});

test('when a round takes the last place, the other memberships of that round are not asked for', async () => {
  const { ask, asked } = askWith(2, [], 5);
  expect(await ask.runOnce()).toMatchObject({ started: 2, fruitless: 0 });
  expect(asked.filter((tool) => tool === 'get_agent_action')).toHaveLength(2);
  // There is no place from the beginning: each membership is asked for once.
  expect(await ask.runOnce()).toMatchObject({ started: 0, fruitless: 5 });
  expect(asked.filter((tool) => tool === 'get_agent_action')).toHaveLength(7);
});

test('a person who wants to know which programs there are is answered beside the work', async () => {
  const { ask, looks } = askWith(0);
  await ask.runOnce();
  expect(looks).toEqual([]);
  const other = askWith(1, [], 1, { look_for_programs: true });
  expect(await other.ask.runOnce()).toMatchObject({ started: 1 });
  expect(other.looks).toEqual(['looked']);
});

test('what runs need is told with the beat, and is told only when that was answered', async () => {
  const readings = [{ run_id: 'run_1', memory_mb: 90 }];
  const { ask, beats, told } = askWith(0, [], 1, { readings });
  await ask.runOnce();
  expect({ beats, told }).toEqual({ beats: [readings], told: [readings] });
  const away = askWith(0, [], 1, { readings, isAway: true });
  await expect(away.ask.runOnce()).rejects.toThrow('away');
  expect(away.told).toEqual([]);
});

test('how far images are pulled is told when it has changed, and then beats go out each second', async () => {
  const { ask, pulls, pulling } = askWith(0, [], 1, { pulling: [{ run_id: 'run_1', percent: 40 }] });
  await ask.runOnce();
  await ask.runOnce();
  pulling.splice(0);
  await ask.runOnce();
  await ask.runOnce();
  expect(pulls).toEqual([
    [[{ run_id: 'run_1', percent: 40 }], 0],
    [undefined, 1],
    [[], 5],
    [undefined, 5],
  ]);
});

test('a server of an older release is not told of images after it has refused that once', async () => {
  const { ask, pulls, asked } = askWith(0, [], 1, {
    isOld: true,
    pulling: [{ run_id: 'run_1', percent: 40 }],
  });
  await ask.runOnce();
  await ask.runOnce();
  expect(pulls).toEqual([
    [undefined, 0],
    [undefined, 5],
  ]);
  expect(asked.filter((tool) => tool === 'wait_for_agent_actions')).toHaveLength(3);
});

test('a beat says as of which time of the server its list is, once the server has said its time', async () => {
  const server_time = '2026-11-29T03:00:00.000Z';
  const { ask, times } = askWith(0, [], 1, { server_time });
  await ask.runOnce();
  await ask.runOnce();
  expect(times[0]).toBeUndefined();
  const late = Date.parse(times[1] ?? '') - Date.parse(server_time);
  expect(late).toBeGreaterThanOrEqual(0);
  expect(late).toBeLessThan(60_000);
});

test.each([
  ['of this release is told that lists are kept', {}, true, []],
  ['of the release before is not, and of images all the same', { isBefore: true }, undefined, []],
  ['of an older one is told of neither', { isOld: true }, undefined, undefined],
])('a server %s', async (_what, age, isKeptTold, pullsTold) => {
  const pulling = [{ run_id: 'run_1', percent: 40 }];
  const { ask, kept, pulls } = askWith(0, [], 1, { ...age, keepsEgress: true, pulling });
  await ask.runOnce();
  pulling.length = 0;
  await ask.runOnce();
  expect(kept).toEqual([isKeptTold, isKeptTold]);
  expect(pulls.at(-1)).toEqual([pullsTold, 5]);
});

test('a beat without news is as before', async () => {
  const { ask, beats } = askWith(0);
  await ask.runOnce();
  expect(beats).toEqual([undefined]);
});

describe('memberships that fail', () => {
  afterEach(() => void vi.useRealTimers());

  /** Names these memberships; those of `bad` are answered by an error, after this many milliseconds. */
  function askOf(agents: string[], bad: string[], answerMs = 0) {
    vi.useFakeTimers({ toFake: ['performance'] });
    const asked: string[] = [];
    const call = async (tool: string, args: { agent_id?: string }) => {
      if (tool === 'wait_for_agent_actions')
        return { pairs: agents.map((agent_id) => ({ agent_id, project_id: 'p' })), stop: [] };
      asked.push(args.agent_id ?? '');
      vi.advanceTimersByTime(answerMs);
      if (bad.includes(args.agent_id ?? '')) throw new Error(`no answer for ${args.agent_id}`);
      return { action: 'hold', reason: 'no_pending_work' };
    };
    const warn = vi.fn();
    const ask = new AskActions({
      client: { call: call as AskActionsOptions['client']['call'] },
      runs: { ids: [], pulling: [], start: () => undefined, stop: () => true },
      worktrees: { carryOut: () => true },
      programs: { look: async () => undefined },
      memory: { changed: () => [], told: () => undefined },
      logger: { ...createLogger('test', { level: 'silent' }), warn },
      self: SELF,
      holdSeconds: 5,
    });
    return { ask, asked, warn };
  }

  test('do not keep those behind them from being asked, and are logged once', async () => {
    const { ask, asked, warn } = askOf(['bad', 'one', 'other'], ['bad']);
    expect(await ask.runOnce()).toEqual({ started: 0, stopped: 0, fruitless: 3 });
    expect(asked.splice(0)).toEqual(['bad', 'one', 'other']);
    await ask.runOnce();
    expect(asked, 'last from now on').toEqual(['one', 'other', 'bad']);
    expect(warn).toHaveBeenCalledTimes(1);
    expect(warn).toHaveBeenCalledWith(
      expect.objectContaining({ agentId: 'bad', projectId: 'p' }),
      expect.any(String),
    );
  });

  test('fail the round when nothing else was answered: the server may be away', async () => {
    const { ask, asked } = askOf(['one', 'other'], ['one', 'other']);
    await expect(ask.runOnce()).rejects.toThrow('no answer for one');
    expect(asked).toEqual(['one', 'other']);
  });

  test('do not delay the next beat together; the others are asked first then', async () => {
    const { ask, asked } = askOf(['slow', 'slower', 'one'], ['slow', 'slower'], 3_000);
    await expect(ask.runOnce()).rejects.toThrow('no answer for slow');
    expect(asked.splice(0)).toEqual(['slow', 'slower']);
    await ask.runOnce();
    expect(asked[0]).toBe('one');
  });
});
