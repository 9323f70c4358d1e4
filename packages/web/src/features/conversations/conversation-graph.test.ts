import type { Conversation } from '@aizuchi/shared/contract/conversation';
import { describe, expect, test } from 'vitest';
import { agentLinks, layOut } from './conversation-graph.ts';
import { outcomeOf } from './outcome.ts';

const now = new Date('2026-03-02T12:00:00.000Z');

function talk(over: Partial<Conversation>): Conversation {
  return {
    id: 'conv_a',
    projectId: 'prj_a',
    initiatorAgentId: 'agt_a',
    participantAgentId: 'agt_b',
    state: 'ended',
    purpose: null,
    messageCount: 4,
    maxMessages: 20,
    chainId: 'chain_a',
    createdAt: '2026-03-02T11:00:00.000Z',
    endedAt: '2026-03-02T11:05:00.000Z',
    endedBy: 'agt_a',
    endReason: 'initiator_ended',
    finalMessage: null,
    ...over,
  };
}

describe('links between agents', () => {
  test('a pair has one link for both directions; it is live when one of its conversations is', () => {
    const links = agentLinks(
      [
        talk({}),
        talk({ initiatorAgentId: 'agt_b', participantAgentId: 'agt_a', messageCount: 3, state: 'active' }),
      ],
      now,
    );
    expect(links).toEqual([{ from: 'agt_a', to: 'agt_b', messages: 7, live: true }]);
  });

  test('a conversation that ended more than a day ago is left out, a live one is not', () => {
    const old = { createdAt: '2026-02-27T11:00:00.000Z' };
    expect(agentLinks([talk(old)], now)).toEqual([]);
    expect(agentLinks([talk({ ...old, state: 'active' })], now)).toHaveLength(1);
  });

  test('shows the agents with the most messages, in the order of their ids, with all arcs inside of the picture', () => {
    const links = ['b', 'c', 'd', 'e', 'f', 'g'].map((name, index) => ({
      from: 'agt_a',
      to: `agt_${name}`,
      messages: index,
      live: false,
    }));
    const { nodes, arcs } = layOut(links);
    expect(nodes.map(({ id }) => id)).toEqual(['agt_a', 'agt_d', 'agt_e', 'agt_f', 'agt_g']);
    expect(arcs).toHaveLength(4);
    for (const { y } of arcs) expect(y).toBeGreaterThanOrEqual(16);
    expect(Math.min(...arcs.map(({ y }) => y))).toBe(arcs.find(({ to }) => to === 'agt_g')?.y);
  });
});

describe('how it ended', () => {
  test('a live conversation shows its state, an ended one the reason', () => {
    expect(outcomeOf({ state: 'active', endReason: null }).key).toBe('active');
    expect(outcomeOf({ state: 'terminating', endReason: 'participant_ended' })).toEqual({
      key: 'ended_by',
      tone: 'neutral',
    });
    expect(outcomeOf({ state: 'expired', endReason: 'not_started' }).tone).toBe('red');
    expect(outcomeOf({ state: 'ended', endReason: 'max_messages' }).tone).toBe('amber');
  });
});
