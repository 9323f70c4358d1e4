import type { DeliveredPack } from '@aizuchi/shared/contract/tools/memory-tools';
import type { SaidNow } from '@aizuchi/shared/core/agent-memory/agent-memory';
import type { Delivery } from '@aizuchi/shared/core/chat/delivery/deliver-messages';
import { systemClock } from '@aizuchi/shared/platform/clock';
import { createLogger } from '@aizuchi/shared/platform/logger';
import { LONG_TIMEOUT_MS } from '@aizuchi/shared/testing/timeouts';
import { describe, expect, test } from 'vitest';
import type { AgentCaller } from './ports.ts';
import { Recollections } from './recollections.ts';
import { FakeServices, message } from './testing/fake-services.ts';

const CALLER: AgentCaller = {
  sessionId: 'ses_1',
  agentId: 'agt_1',
  projectId: 'prj_1',
  purpose: 'chat',
  taskId: '',
  live: true,
  sharesFolder: false,
  usesMemory: true,
};
const PACK: DeliveredPack = { run_id: 'ret_1', selected: [] };

function delivery(ids: readonly string[], more: Partial<Delivery> = {}): Delivery {
  return {
    batchId: 'bat_1',
    source: { kind: 'chat' },
    contextMessages: [],
    pendingMessages: ids.map(message),
    totalHistoryCount: 0,
    contextTruncated: false,
    waitsFor: null,
    ...more,
  };
}

/** Searches are answered when the test says so. */
function make(waitMs = LONG_TIMEOUT_MS) {
  const services = new FakeServices();
  const searched: string[] = [];
  const noted: { runId: string; batchId?: string }[] = [];
  const answer = Promise.withResolvers<DeliveredPack | undefined>();
  let waiting: SaidNow | undefined;
  const deleted = new Set<DeliveredPack>();
  const agentMemory = {
    ...services.agentMemory,
    stillThere: async (_: AgentCaller, pack: DeliveredPack) => (deleted.has(pack) ? undefined : pack),
    waiting: async () => waiting,
    packFor: (_: AgentCaller, { key }: SaidNow) => {
      searched.push(key);
      return answer.promise;
    },
  };
  const deliveries = {
    ...services.deliveries,
    noteRetrieval: async (_: AgentCaller, retrieval: { runId: string; batchId?: string }) =>
      void noted.push(retrieval),
  };
  const logger = createLogger('test', { level: 'silent' });
  return {
    recollections: new Recollections({
      services: { agentMemory, deliveries },
      clock: systemClock,
      logger,
      waitMs,
    }),
    searched,
    noted,
    deleted,
    answer,
    waits: (...ids: string[]) => {
      waiting =
        ids.length === 0 ? undefined : { key: ids.join(), messageIds: ids, text: '', humanId: 'owner' };
    },
  };
}

describe('a delivery', () => {
  test('is given what was searched since the agent was told of the messages, which are searched once', async () => {
    const { recollections, searched, noted, answer, waits } = make();
    waits('msg_1', 'msg_2');
    recollections.begin(CALLER);
    recollections.begin(CALLER);
    const given = recollections.packFor(CALLER, delivery(['msg_1', 'msg_2']), undefined);
    answer.resolve(PACK);
    expect(await given).toBe(PACK);
    expect(searched).toEqual(['msg_1,msg_2']);
    expect(noted).toEqual([{ runId: 'ret_1', batchId: 'bat_1' }]);
  });

  test('is searched for by itself when nobody was told, or something else came', async () => {
    const { recollections, searched, answer, waits } = make();
    answer.resolve(PACK);
    expect(await recollections.packFor(CALLER, delivery(['msg_1']), undefined)).toBe(PACK);
    waits('msg_2');
    recollections.begin(CALLER);
    expect(await recollections.packFor(CALLER, delivery(['msg_2', 'msg_3']), undefined)).toBe(PACK);
    expect(searched).toEqual(['msg_1', 'msg_2', 'msg_2,msg_3']);
  });

  test('does not wait for a memory that hangs; what comes later is given when the batch is given again', async () => {
    const { recollections, searched, answer, noted } = make(1);
    expect(await recollections.packFor(CALLER, delivery(['msg_1']), undefined)).toBeUndefined();
    expect(noted).toEqual([]);
    answer.resolve(PACK);
    recollections.begin(CALLER);
    const again = delivery([], { pendingMessages: [{ ...message('msg_1'), repeat: true }] });
    expect(await recollections.packFor(CALLER, again, undefined)).toBe(PACK);
    expect(searched).toEqual(['msg_1']);
  });

  test('is given nothing again that was deleted meanwhile', async () => {
    const { recollections, searched, answer, deleted } = make();
    answer.resolve(PACK);
    expect(await recollections.packFor(CALLER, delivery(['msg_1']), undefined)).toBe(PACK);
    deleted.add(PACK);
    expect(await recollections.packFor(CALLER, delivery(['msg_1']), undefined)).toBeUndefined();
    expect(searched).toEqual(['msg_1']);
  });

  test('is not failed by a memory that fails', async () => {
    const { recollections, answer, waits } = make();
    waits('msg_1');
    recollections.begin(CALLER);
    answer.reject(new Error('broken'));
    expect(await recollections.packFor(CALLER, delivery(['msg_1']), undefined)).toBeUndefined();
  });
});

describe('nothing is searched', () => {
  const BUILT_IN = { ...CALLER, usesMemory: false };
  const TALK = delivery(['msg_1'], {
    source: { kind: 'conversation', conversationId: 'conv_1', agentId: 'agt_2' },
  });

  test.each([
    ['by the built-in agent', BUILT_IN, delivery(['msg_1']), undefined],
    ['in a conversation', CALLER, TALK, undefined],
    ['for an agent that wants nothing', CALLER, delivery(['msg_1']), false],
    ['when nothing is given', CALLER, delivery([], { batchId: null, source: null }), true],
  ])('%s', async (_, caller, given, asked) => {
    const { recollections, searched } = make();
    expect(await recollections.packFor(caller, given, asked)).toBeUndefined();
    expect(searched).toEqual([]);
  });

  test.each([
    ['by the built-in agent', BUILT_IN],
    ['for a task', { ...CALLER, purpose: 'task', taskId: 'tsk_1' } as const],
  ])('%s, when it is told of messages', async (_, caller) => {
    const { recollections, searched, waits } = make();
    waits('msg_1');
    recollections.begin(caller);
    await recollections.packFor(caller, delivery(['msg_1']), false);
    expect(searched).toEqual([]);
  });

  test.each([
    ['the built-in agent', BUILT_IN, delivery(['msg_1'])],
    ['an agent in a conversation', CALLER, TALK],
  ])('but for %s when it asks', async (_, caller, given) => {
    const { recollections, searched, answer } = make();
    answer.resolve(PACK);
    expect(await recollections.packFor(caller, given, true)).toBe(PACK);
    expect(searched).toEqual(['msg_1']);
  });
});
