import type { Queryable } from '../../../platform/db/database.ts';
import type { AgentCaller } from '../../access/agent-caller.ts';
import type { ApprovalService } from '../../approvals/approval-service.ts';
import { noticeAcknowledged } from '../../conversations/conversation-notices.ts';
import type { ServiceDeps } from '../../deps.ts';
import type { QuestionService } from '../../questions/question-service.ts';
import { unreachable } from '../../rules/unreachable.ts';
import type { ConversationNotice } from '../../sessions/rules/next-action.ts';
import { CONVERSATION_NOTICES } from '../../sessions/rules/next-action.ts';
import { CONTROLS, type Control } from '../../sessions/rules/turn-control.ts';
import type { SessionService } from '../../sessions/session-service.ts';
import {
  countCardOffers,
  countNoticeOffers,
  countTaskOffers,
  setTaskTold,
  setUsesReceipts,
  usesReceipts,
} from './receipt-queries.ts';

/*
 * A response that was written may not have arrived. Every offer to a session carries
 * a receipt, and a later call names it in `received`. A session that has done so once is offered again
 * whatever it has not acknowledged; for one that never did, acknowledged means: written to a live connection.
 */

/** The kinds of offers to a session besides messages. */
export type ReceiptSubject =
  | { readonly kind: 'exit' }
  | { readonly kind: 'control'; readonly control: Control; readonly repeat?: boolean }
  | { readonly kind: 'question' | 'approval'; readonly toolUseId: string }
  | { readonly kind: 'vision'; readonly requestId: string }
  | { readonly kind: 'task'; readonly taskId: string }
  | { readonly kind: 'conversation'; readonly notice: ConversationNotice };

/** The maximum number of times that a session that uses receipts is offered the same. */
export const MAX_OFFERS = 10;

/** Opaque to clients; valid only for the session that was given it. */
export function receiptOf(subject: ReceiptSubject): string {
  switch (subject.kind) {
    case 'exit':
      return 'exit';
    case 'control':
      return `control:${subject.control}`;
    case 'question':
    case 'approval':
      return `${subject.kind}:${subject.toolUseId}`;
    case 'vision':
      return `vision:${subject.requestId}`;
    case 'task':
      return `task:${subject.taskId}`;
    case 'conversation':
      return `${subject.notice.kind}:${subject.notice.conversationId}`;
    default:
      return unreachable(subject);
  }
}

/** What marks each kind as acknowledged. */
interface Acknowledging {
  readonly sessions: Pick<SessionService, 'acknowledged' | 'controlAcknowledged'>;
  readonly questions: Pick<QuestionService, 'acknowledged'>;
  readonly approvals: Pick<ApprovalService, 'acknowledged'>;
  /** Implemented by a feature above this one (vision). */
  readonly vision: Record<
    'offered' | 'acknowledged',
    (sessionId: string, requestId: string) => Promise<void>
  >;
}

/** Records what a session has acknowledged: by a receipt that it named, or by a response that was written. */
export class Receipts {
  readonly #deps: ServiceDeps;
  readonly #of: Acknowledging;

  constructor(deps: ServiceDeps, of: Acknowledging) {
    this.#deps = deps;
    this.#of = of;
  }

  /**
   * The session names what has arrived. Unknown receipts, and those that are acknowledged already, change
   * nothing. Idempotent.
   */
  async received(caller: AgentCaller, receipts: readonly string[]): Promise<void> {
    await setUsesReceipts(this.#deps.database.db, caller.sessionId);
    for (const receipt of new Set(receipts)) {
      const subject = subjectOf(receipt);
      if (subject) await this.#acknowledge(caller, subject);
    }
  }

  /**
   * The response was written to a live connection: that is sufficient where receipts are not used. Where they
   * are used the offer is repeated, but a limited number of times: otherwise a client that forgets to name it
   * would be offered nothing else.
   */
  async written(caller: AgentCaller, subject: ReceiptSubject): Promise<void> {
    // An end is repeated at every call until the session is over: here only its grace begins.
    if (subject.kind !== 'exit' && (await usesReceipts(this.#deps.database.db, caller.sessionId))) {
      if (!(await this.#isLastOffer(caller, subject))) return;
    }
    await this.#acknowledge(caller, subject);
  }

  async #isLastOffer(caller: AgentCaller, subject: ReceiptSubject): Promise<boolean> {
    const { db } = this.#deps.database;
    if (subject.kind === 'control') return subject.repeat === true;
    if (subject.kind === 'exit') return true;
    if (subject.kind === 'vision') {
      // From now on it is found again for a short time only (untoldOfSession).
      await this.#of.vision.offered(caller.sessionId, subject.requestId);
      return false;
    }
    return (await countOffers(db, caller, subject)) >= MAX_OFFERS;
  }

  async #acknowledge(caller: AgentCaller, subject: ReceiptSubject): Promise<void> {
    switch (subject.kind) {
      case 'exit':
        return this.#of.sessions.acknowledged([caller.sessionId]);
      case 'control':
        return this.#of.sessions.controlAcknowledged(caller.sessionId, subject.control);
      case 'question':
        return this.#of.questions.acknowledged(caller.sessionId, [subject.toolUseId]);
      case 'approval':
        return this.#of.approvals.acknowledged(caller.sessionId, [subject.toolUseId]);
      case 'vision':
        return this.#of.vision.acknowledged(caller.sessionId, subject.requestId);
      case 'task':
        return setTaskTold(this.#deps.database.db, caller.sessionId, subject);
      case 'conversation':
        return noticeAcknowledged(this.#deps, caller, subject.notice);
      default:
        return unreachable(subject);
    }
  }
}

function countOffers(
  db: Queryable,
  caller: AgentCaller,
  subject: Exclude<ReceiptSubject, { kind: 'exit' | 'control' | 'vision' }>,
): Promise<number> {
  switch (subject.kind) {
    case 'conversation':
      return countNoticeOffers(db, caller, subject.notice);
    case 'task':
      return countTaskOffers(db, caller.sessionId);
    default:
      return countCardOffers(db, caller.sessionId, subject);
  }
}

/** undefined: not one of our receipts. */
function subjectOf(receipt: string): ReceiptSubject | undefined {
  const [, kind = '', id = ''] = /^([a-z]+):(.+)$/s.exec(receipt) ?? [];
  if (receipt === 'exit') return { kind: 'exit' };
  if (kind === 'question' || kind === 'approval') return { kind, toolUseId: id };
  if (kind === 'vision') return { kind, requestId: id };
  if (kind === 'task') return { kind, taskId: id };
  const control = CONTROLS.find((one) => kind === 'control' && one === id);
  if (control) return { kind: 'control', control };
  const notice = CONVERSATION_NOTICES.find((one) => one === kind);
  return notice && { kind: 'conversation', notice: { kind: notice, conversationId: id } };
}
