/**
 * Answers at once, and before that records everything it was given: messages with their batch, notices of
 * conversations, clicks on its cards. So a test can see whether something counts as answered or told that was never
 * in front of the agent, or came twice without a mark.
 *
 * `talk <agent>` in a message makes it begin a conversation. `ask` makes it show the person a card, and answer after
 * the click.
 */
import type { PendingMessages } from '@aizuchi/shared/contract/tools/chat-tools';
import { HELD } from '../../tests/fixtures/agent-life.ts';
import { answer } from './recording/answer.ts';
import { Cards } from './recording/cards.ts';
import { client, marksOf, note, write } from './recording/session.ts';
import { beginTalks, talkOn } from './recording/talks.ts';

/** How often it fetches more messages before it answers; it goes on whether they arrive or not. */
const ASK_FOR_MORE_EVERY = 8;

const cards = new Cards();
let held: PendingMessages | undefined;
let batches = 0;

const signedIn = await client.callUntilAnswered('authenticate', {});
if (!signedIn.success) process.exit(3);
while (await step());
await client.callUntilAnswered('logout', {});
process.exit(0);

/** One action; returns false when it was told to exit. */
async function step(): Promise<boolean> {
  const next = await client.callUntilAnswered('get_next_action', { hold_seconds: 25 }, HELD);
  switch (next.action) {
    case 'exit':
    case 'logout':
      return false;
    case 'get_pending_messages':
      await read();
      return true;
    case 'question_resolved':
      cards.noteClick(next.tool_use_id ?? '', next.status ?? '', next.repeat ?? false);
      await answerHeld();
      return true;
    case 'conversation_request':
    case 'conversation_ended':
    case 'conversation_expired':
      write({
        kind: 'notice',
        action: next.action,
        conversationId: next.conversation_id ?? '',
        marked: next.repeat ?? next.resumed ?? false,
        messages: marksOf(next.unread_messages ?? []),
        finalMessage: next.final_message ?? null,
      });
      return true;
    default:
      return true;
  }
}

async function read(): Promise<void> {
  const given = note(await client.callUntilAnswered('get_pending_messages', {}));
  if (given.source === null) return;
  batches += 1;
  const more = batches % ASK_FOR_MORE_EVERY === 0 ? await askForMore() : undefined;
  await answerBatch(given);
  // What it has of another conversation it answers too: people who write all the time would keep it from there.
  const other = more?.source?.kind === 'conversation' ? more.source.conversation_id : undefined;
  const isSame = given.source.kind === 'conversation' && given.source.conversation_id === other;
  if (more && other !== undefined && !isSame) await talkOn(more, other);
}

async function answerBatch(given: PendingMessages): Promise<void> {
  if (given.source === null) return;
  if (given.source.kind === 'conversation') return talkOn(given, given.source.conversation_id);
  held = given;
  await beginTalks(given.pending_messages);
  for (const message of given.pending_messages) await cards.showFor(message);
  await answerHeld();
}

async function askForMore(): Promise<PendingMessages | undefined> {
  return client.call('get_pending_messages', {}).then(note, () => {
    // The answer was lost: its messages were never given, so they must not be answered by the next answer.
    return undefined;
  });
}

/** An open card holds back the answer of the whole batch. */
async function answerHeld(): Promise<void> {
  if (held === undefined || cards.areOpen) return;
  await answer(held);
  held = undefined;
}
