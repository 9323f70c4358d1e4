import type { Tx } from '../../platform/db/database.ts';
import type { AgentCaller } from '../access/agent-caller.ts';
import { agentText, requireOpen } from '../chat/delivery/agent-input.ts';
import { byteQuota, countTextIfRoom } from '../chat/quota/byte-quota.ts';
import type { ServiceDeps } from '../deps.ts';
import { keepResult, keptResult } from '../idempotency/idempotent-results.ts';
import { SessionQueries } from '../sessions/session-queries.ts';
import { lockBothMemberships } from './conversation-change-queries.ts';
import { conversationTimes } from './conversation-deadlines.ts';
import { applyConversationEnd } from './conversation-lifecycle.ts';
import { markEndKnown } from './conversation-notices.ts';
import { ConversationQueries, type ConversationRecord, sessionOf, sideOf } from './conversation-queries.ts';
import { findConversation } from './find-conversation.ts';
import type { TargetInput } from './resolve-target.ts';
import { isLiveConversation } from './rules/conversation-machine.ts';
import { lockAsMine } from './say-in-conversation.ts';

export interface EndConversationInput extends TargetInput {
  /** Stored with the conversation; it is not a message and is not counted. */
  readonly finalMessage?: string | undefined;
  readonly idempotencyKey?: string | undefined;
}

/**
 * Ends a conversation; the side that commits first is `ended_by`. When both end it at the same time, the
 * second gets the same result, and thereby knows the end, unless its notice carries more (`markEndKnown`).
 * Beyond the byte quota of the agent it ends without the closing message. Returns its id.
 */
export async function endConversation(
  deps: ServiceDeps,
  caller: AgentCaller,
  input: EndConversationInput,
): Promise<string> {
  const { db } = deps.database;
  const finalMessage =
    input.finalMessage === undefined ? undefined : agentText(input.finalMessage, 'final_message');
  const call = { tool: 'end_conversation', key: input.idempotencyKey } as const;
  const first = await keptResult(db, caller, call);
  if (first?.conversationId !== undefined) return first.conversationId;
  const found = await findConversation(db, caller, input, 'live');
  const quota = await byteQuota(deps);
  await deps.database.transaction(async (tx) => {
    await lockBothMemberships(tx.db, found);
    const session = requireOpen(await new SessionQueries(tx.db).lockById(caller.sessionId));
    if (await keptResult(tx.db, caller, call)) return;
    const now = await tx.now();
    const locked = await new ConversationQueries(tx.db).lock(found.id);
    const conversation =
      locked && isLiveConversation(locked.state) && needsSide(locked, caller)
        ? await lockAsMine(tx, found.id, session, now)
        : locked;
    const isKept =
      finalMessage !== undefined &&
      conversation !== null &&
      isLiveConversation(conversation.state) &&
      (await countTextIfRoom(deps, tx, caller, { text: finalMessage, quota }));
    if (conversation)
      await end(deps, tx, caller, conversation, { finalMessage: isKept ? finalMessage : undefined, now });
    await keepResult(tx, caller, call, { messageId: null, answered: 0, conversationId: found.id });
  });
  return found.id;
}

function needsSide(conversation: ConversationRecord, caller: AgentCaller): boolean {
  return sessionOf(conversation, caller.agentId) !== caller.sessionId;
}

async function end(
  deps: ServiceDeps,
  tx: Tx,
  caller: AgentCaller,
  conversation: ConversationRecord,
  options: { finalMessage: string | undefined; now: Date },
): Promise<void> {
  const times = await conversationTimes(deps);
  const by = sideOf(conversation, caller.agentId) ?? 'participant';
  const change =
    // Whose time was up was ended by nobody: it has no last word.
    (await applyConversationEnd(
      tx,
      conversation,
      { type: 'tick', times },
      { ...options, finalMessage: undefined },
    )) ?? (await applyConversationEnd(tx, conversation, { type: 'end', by }, options));
  if (change?.to === 'acknowledged')
    await markEndKnown(deps, tx, caller, conversation, { kind: endKind(conversation), now: options.now });
}

function endKind(conversation: ConversationRecord): 'ended' | 'expired' {
  return conversation.state === 'expired' ? 'expired' : 'ended';
}
