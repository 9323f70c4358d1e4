import type { AgentSessionView } from '@aizuchi/shared/contract/chat';
import { expect, test } from 'vitest';
import { stripOf } from './card-strip.ts';

const session = (chatStatus: AgentSessionView['chatStatus'], task = 0): AgentSessionView => ({
  chat: 1,
  task,
  chatStatus,
  since: '2026-11-21T12:00:00.000Z',
});

test.each([
  ['in_progress', session('ready', 1), 'working'],
  ['in_progress', session('busy'), undefined],
  ['in_progress', session('starting'), 'starting'],
  ['in_progress', session('failed'), 'failed'],
  ['in_progress', session('waiting_for_person'), 'waiting'],
  ['blocked', session('waiting_for_person'), 'waiting'],
  ['blocked', session('failed'), undefined],
  ['todo', session('ready', 1), undefined],
  ['in_progress', undefined, undefined],
] as const)('a card in %s shows the known state of its agent (%#)', (status, agent, strip) => {
  expect(stripOf(status, agent)).toBe(strip);
});
