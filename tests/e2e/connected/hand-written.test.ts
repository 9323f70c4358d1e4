import { expect, it } from 'vitest';
import { tryConnected } from '../../../scripts/chaos/connected/connected.ts';
import { startHandWritten } from '../../../scripts/chaos/connected/hand-written.ts';

/** `npm run chaos -- --rounds hand-written` does the same with a thousand messages. */
const MESSAGES = 60;

it('an agent of thirty lines without receipts gets every message although every fifth answer is cut', async () => {
  const { sum, cuts } = await tryConnected({ messages: MESSAGES, start: startHandWritten, say: console.log });
  expect(sum).toMatchObject({ acknowledged: MESSAGES, lost: 0, doubled: 0, unseen: 0, violations: [] });
  expect(cuts).toBeGreaterThan(MESSAGES / CLIENTS / 5);
});

/** A batch holds at most this many messages, and each batch takes more than one answer. */
const CLIENTS = 4;
