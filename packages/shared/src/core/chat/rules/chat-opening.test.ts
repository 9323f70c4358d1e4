import { expect, it } from 'vitest';
import { type ChatOpeningView, decideChatOpening } from './chat-opening.ts';

const resident: ChatOpeningView = { isPerWork: false, hasWakeUp: false, isNeeded: false };
const perWork: ChatOpeningView = { ...resident, isPerWork: true };

it.each<[string, ChatOpeningView, string]>([
  ['resident', resident, 'wake'],
  ['resident, and its wake-up exists', { ...resident, hasWakeUp: true }, 'wake'],
  ['per work, and nothing waits', perWork, 'wait'],
  ['per work, and a message waits without a wake-up', { ...perWork, isNeeded: true }, 'wake'],
  [
    'per work, being started: the wake-up learns who opened the chat',
    { ...perWork, hasWakeUp: true },
    'wake',
  ],
])('%s', (_, view, result) => {
  expect(decideChatOpening(view)).toBe(result);
});
