import { setTimeout as sleep } from 'node:timers/promises';
import type { Message } from '@aizuchi/shared/contract/chat';
import type { PendingMessages } from '@aizuchi/shared/contract/tools/chat-tools';
import { ToolRefused } from '@aizuchi/shared/mcp-client/tool-errors';
import { answer } from './answer.ts';
import { client, write } from './session.ts';

/** How many messages the initiator says before it ends the conversation. */
const WORDS = 3;
/** Message limit of a conversation that ends by reaching it before that. */
const FULL = 4;
/** At most this long does a participant work on after its answer: about as long as its partner needs for an end. */
const WORKS_ON_MS = 300;
const wordsSaid = new Map<string, number>();

interface Plan {
  /** In mid-turn, after its first answer, without fetching what its partner has said meanwhile. */
  readonly participantEnds?: true;
  /** Right after a last message, which its partner has not read. */
  readonly initiatorEndsAtOnce?: true;
  readonly finalMessage?: string;
}

/** Every third conversation is ended by its participant. Both sides choose by the id, so they choose the same. */
const PLANS: readonly Plan[] = [
  { participantEnds: true, initiatorEndsAtOnce: true, finalMessage: 'Goodbye.' },
  {},
  { initiatorEndsAtOnce: true },
  { participantEnds: true },
  { finalMessage: 'That is all.' },
  { initiatorEndsAtOnce: true, finalMessage: 'Goodbye.' },
];

function planOf(conversationId: string): Plan {
  const sum = [...conversationId].reduce((total, letter) => total + letter.charCodeAt(0), 0);
  return PLANS[sum % PLANS.length] ?? {};
}

/** Begins a conversation for each message that asks for one. */
export async function beginTalks(messages: readonly Message[]): Promise<void> {
  for (const { id, content } of messages) {
    const [, partner] = / talk (\w+)$/.exec(content) ?? [];
    if (partner === undefined) continue;
    await unlessRefused(async () => {
      const begun = await client.callUntilAnswered('start_conversation', {
        participant_agent_id: partner,
        purpose: content,
        initial_message: 'Shall we talk?',
        max_messages: /[0-9a-h]$/.test(id) ? FULL : 2 * WORDS + 2,
        idempotency_key: `talk-${id}`,
      });
      if (!wordsSaid.has(begun.conversation_id)) wordsSaid.set(begun.conversation_id, 1);
      if (begun.message) write({ kind: 'said', id: begun.message.id });
    });
  }
}

/** Answers the partner; the conversation is ended as its plan says. */
export async function talkOn(given: PendingMessages, conversationId: string): Promise<void> {
  const words = wordsSaid.get(conversationId);
  const plan = planOf(conversationId);
  await unlessRefused(async () => {
    if (words !== undefined && words >= WORDS) {
      write({ kind: 'answer', batch: given.batch_id ?? '' });
      return end(conversationId, plan);
    }
    const id = await answer(given);
    if (id !== undefined) write({ kind: 'said', id });
    if (words !== undefined) {
      wordsSaid.set(conversationId, words + 1);
      if (plan.initiatorEndsAtOnce) await end(conversationId, plan);
    } else if (plan.participantEnds) {
      await sleep(Math.random() * WORKS_ON_MS);
      await end(conversationId, {});
    }
  });
}

/** Recorded before the call: the agent may be killed after the server has done it. */
async function end(conversationId: string, { finalMessage }: Plan): Promise<void> {
  write({ kind: 'ending', conversationId });
  await client.callUntilAnswered('end_conversation', {
    conversation_id: conversationId,
    ...(finalMessage !== undefined && { final_message: finalMessage }),
    idempotency_key: `end-${conversationId}`,
  });
}

/** A refusal is accepted: the membership has another conversation, or this one has been ended meanwhile. */
async function unlessRefused(talk: () => Promise<void>): Promise<void> {
  try {
    await talk();
  } catch (error) {
    if (!(error instanceof ToolRefused) || !MAY_BE_REFUSED.has(error.code)) throw error;
  }
}

const MAY_BE_REFUSED = new Set([
  'conversation_already_active',
  'conversation_not_found',
  'no_active_conversation',
]);
