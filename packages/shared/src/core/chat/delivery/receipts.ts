import type { AgentCaller } from '../../access/agent-caller.ts';
import { noticeAcknowledged } from '../../conversations/conversation-notices.ts';
import type { ServiceDeps } from '../../deps.ts';
import type { QuestionService } from '../../questions/question-service.ts';
import { unreachable } from '../../rules/unreachable.ts';
import type { ConversationNotice } from '../../sessions/rules/next-action.ts';
import { CONVERSATION_NOTICES } from '../../sessions/rules/next-action.ts';
import { CONTROLS, type Control } from '../../sessions/rules/turn-control.ts';
import type { SessionService } from '../../sessions/session-service.ts';
import {
  countNoticeTelling,
  countQuestionTelling,
  setUsesReceipts,
  usesReceipts,
} from './receipt-queries.ts';

/*
 * A response that was written may not have arrived (contract §5 "Receipts"). Every offer to a session carries
 * a receipt, and a later call names it in `received`. A session that has done so once is offered again
 * whatever it has not acknowledged; for one that never did, acknowledged means: written to a live connection.
 */

/** The kinds of offers to a session besides messages. */
export type Telling =
  | { readonly kind: 'exit' }
  | { readonly kind: 'control'; readonly control: Control; readonly repeat?: boolean }
  | { readonly kind: 'question'; readonly toolUseId: string }
  | { readonly kind: 'conversation'; readonly notice: ConversationNotice };

/** The maximum number of times that a session that uses receipts is offered the same. */
export const MAX_TELLINGS = 10;

/** Opaque to clients; valid only for the session that was given it. */
export function receiptOf(telling: Telling): string {
  switch (telling.kind) {
    case 'exit':
      return 'exit';
    case 'control':
      return `control:${telling.control}`;
    case 'question':
      return `question:${telling.toolUseId}`;
    case 'conversation':
      return `${telling.notice.kind}:${telling.notice.conversationId}`;
    default:
      return unreachable(telling);
  }
}

/** Records what a session has acknowledged: by a receipt that it named, or by a response that was written. */
export class Receipts {
  readonly #deps: ServiceDeps;
  readonly #sessions: Pick<SessionService, 'acknowledged' | 'controlAcknowledged'>;
  readonly #questions: Pick<QuestionService, 'acknowledged'>;

  constructor(
    deps: ServiceDeps,
    services: {
      sessions: Pick<SessionService, 'acknowledged' | 'controlAcknowledged'>;
      questions: Pick<QuestionService, 'acknowledged'>;
    },
  ) {
    this.#deps = deps;
    this.#sessions = services.sessions;
    this.#questions = services.questions;
  }

  /**
   * The session names what has arrived. Unknown receipts, and those that are acknowledged already, change
   * nothing. Idempotent.
   */
  async received(caller: AgentCaller, receipts: readonly string[]): Promise<void> {
    await setUsesReceipts(this.#deps.database.db, caller.sessionId);
    for (const receipt of new Set(receipts)) {
      const telling = tellingOf(receipt);
      if (telling) await this.#tell(caller, telling);
    }
  }

  /**
   * The response was written to a live connection: that is sufficient where receipts are not used. Where they
   * are used the offer is repeated, but a limited number of times: otherwise a client that forgets to name it
   * would be offered nothing else.
   */
  async written(caller: AgentCaller, telling: Telling): Promise<void> {
    // An end is repeated at every call until the session is over: here only its grace begins.
    if (telling.kind !== 'exit' && (await usesReceipts(this.#deps.database.db, caller.sessionId))) {
      if (!(await this.#isLastTelling(caller, telling))) return;
    }
    await this.#tell(caller, telling);
  }

  async #isLastTelling(caller: AgentCaller, telling: Telling): Promise<boolean> {
    const { db } = this.#deps.database;
    if (telling.kind === 'control') return telling.repeat === true;
    if (telling.kind === 'exit') return true;
    const tellings =
      telling.kind === 'question'
        ? await countQuestionTelling(db, caller.sessionId, telling.toolUseId)
        : await countNoticeTelling(db, caller, telling.notice);
    return tellings >= MAX_TELLINGS;
  }

  async #tell(caller: AgentCaller, telling: Telling): Promise<void> {
    switch (telling.kind) {
      case 'exit':
        return this.#sessions.acknowledged([caller.sessionId]);
      case 'control':
        return this.#sessions.controlAcknowledged(caller.sessionId, telling.control);
      case 'question':
        return this.#questions.acknowledged(caller.sessionId, [telling.toolUseId]);
      case 'conversation':
        return noticeAcknowledged(this.#deps, caller, telling.notice);
      default:
        return unreachable(telling);
    }
  }
}

/** undefined: not one of our receipts. */
function tellingOf(receipt: string): Telling | undefined {
  const [, kind = '', id = ''] = /^([a-z]+):(.+)$/s.exec(receipt) ?? [];
  if (receipt === 'exit') return { kind: 'exit' };
  if (kind === 'question') return { kind: 'question', toolUseId: id };
  const control = CONTROLS.find((one) => kind === 'control' && one === id);
  if (control) return { kind: 'control', control };
  const notice = CONVERSATION_NOTICES.find((one) => one === kind);
  return notice && { kind: 'conversation', notice: { kind: notice, conversationId: id } };
}
