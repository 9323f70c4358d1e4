import type {
  Approval,
  ApprovalPage,
  DecideApprovalBody,
  ListApprovalsQuery,
} from '../../contract/approval.ts';
import { AppError } from '../../platform/errors.ts';
import type { AgentCaller } from '../access/agent-caller.ts';
import { type Person, requireMember, requireWriter } from '../access/person.ts';
import type { DueCard } from '../cards/card-queries.ts';
import { CardService } from '../cards/card-service.ts';
import type { ServiceDeps } from '../deps.ts';
import { APPROVAL_CARDS, applyApprovalCommand } from './approval-lifecycle.ts';
import { ApprovalQueries, type ApprovalRecord, isNotDecidedBy } from './approval-queries.ts';
import { type ApprovalSummary, noteOf, summaryOf } from './approval-view.ts';
import { ApprovalRequesting, type RequestInput } from './request-approval.ts';

export interface ApprovalOutcome {
  readonly toolUseId: string;
  readonly status: Approval['status'] | 'unavailable';
  readonly note?: string;
}

/** Without `input` when it is too large for a frame. */
export type ApprovalNews = ApprovalSummary & { readonly input?: unknown };

/** Agents ask to be allowed something, and people decide; how agents are given the decision. */
export class ApprovalService {
  readonly #deps: ServiceDeps;
  readonly #requesting: ApprovalRequesting;
  readonly #desk: CardService<ApprovalRecord>;

  constructor(deps: ServiceDeps) {
    this.#deps = deps;
    this.#requesting = new ApprovalRequesting(deps);
    this.#desk = new CardService(deps, APPROVAL_CARDS);
  }

  /**
   * Stores the request unless it exists (same id or key, or the same request while it is open), and returns
   * its state. A decision is offered to one request: the next one like it is asked again.
   */
  async request(caller: AgentCaller, input: RequestInput): Promise<ApprovalOutcome> {
    const requested = await this.#requesting.request(caller, input);
    if (requested.status !== 'stands') return requested;
    const outcome = (await this.outcomes([requested.toolUseId])).get(requested.toolUseId);
    if (!outcome) throw new Error('a stored approval is gone');
    return outcome;
  }

  /** The state of these approvals; one whose time is over times out now, independent of the sweeper. */
  async outcomes(toolUseIds: readonly string[]): Promise<Map<string, ApprovalOutcome>> {
    const approvals = await this.#desk.current(toolUseIds);
    return new Map([...approvals].map(([id, approval]) => [id, this.#outcome(approval)]));
  }

  /**
   * Records that the decision is about to be offered to this session; `repeat` when an earlier offer was not
   * acknowledged. Null: it must not be told, because the session is over or does not hold the approval. Call it before
   * each response with a decision: from then on the same request is another one.
   */
  async offer(sessionId: string, toolUseId: string): Promise<(ApprovalOutcome & { repeat: boolean }) | null> {
    const offered = await this.#desk.offer(sessionId, toolUseId);
    return offered && { ...this.#outcome(offered.card), repeat: offered.repeat };
  }

  /** The response that offered it was written to a live connection. Idempotent. */
  acknowledged(sessionId: string, toolUseIds: readonly string[]): Promise<void> {
    return this.#desk.acknowledged(sessionId, toolUseIds);
  }

  async list(person: Person, projectId: string, query: ListApprovalsQuery): Promise<ApprovalPage> {
    await requireMember(this.#deps.database.db, person, projectId);
    const { cards, hasMore } = await this.#approvals().list(projectId, {
      state: query.status,
      agentId: query.agentId,
      ...(query.exceptPolicy !== undefined && { only: isNotDecidedBy(query.exceptPolicy) }),
      before: query.cursor === undefined ? undefined : Number(query.cursor),
      limit: query.limit,
    });
    const last = cards.at(-1);
    return {
      approvals: await this.#views(cards),
      nextCursor: hasMore && last ? String(last.seq) : null,
    };
  }

  /** What people of a project are asked now; the caller has checked who may see the project. */
  async pendingOf(projectId: string): Promise<ApprovalNews[]> {
    return this.#news(await this.#approvals().pendingOf(projectId));
  }

  /** The current state of approvals, by id, for streams. */
  async byIds(toolUseIds: readonly string[]): Promise<Map<string, ApprovalNews>> {
    const approvals = await this.#approvals().findMany(toolUseIds);
    return new Map((await this.#news([...approvals.values()])).map((news) => [news.id, news]));
  }

  /**
   * The first decision is stored. 404 approval_not_found, 403, 409 approval_already_decided: the last also
   * after a time-out.
   */
  async decide(person: Person, id: string, body: DecideApprovalBody): Promise<Approval> {
    const found = await this.#desk.visible(person, id);
    requireWriter(person);
    const { decision, note = '' } = body;
    const by = { decidedBy: person.id, note: note === '' ? null : note };
    const isDecided = await this.#desk.decide(found, person, (tx, approval, now) =>
      applyApprovalCommand(tx, approval, { type: 'decide', decision }, now, by),
    );
    const approval = await this.#desk.existing(id);
    if (!isDecided) throw alreadyDecided(approval);
    const [view] = await this.#views([approval]);
    if (!view) throw new Error('a stored approval is gone');
    return view;
  }

  /** Approvals whose time may be over, the oldest first, after the position `after`: for the sweeper. */
  due(page: { after: DueCard | null; limit: number }): Promise<DueCard[]> {
    return this.#desk.due(page);
  }

  /** Times it out if nobody decided in time, cancels it if no session took it over. True when it did. */
  expireOrCancel(toolUseId: string): Promise<boolean> {
    return this.#desk.expireOrCancel(toolUseId);
  }

  #approvals(): ApprovalQueries {
    return new ApprovalQueries(this.#deps.database.db);
  }

  async #views(approvals: readonly ApprovalRecord[]): Promise<Approval[]> {
    const inputs = await this.#approvals().inputs(approvals.map(({ toolUseId }) => toolUseId));
    const context = await this.#viewContext();
    return approvals.map((approval) => ({
      ...summaryOf(approval, context),
      input: inputs.get(approval.toolUseId),
    }));
  }

  async #news(approvals: readonly ApprovalRecord[]): Promise<ApprovalNews[]> {
    const pending = approvals.filter(({ state }) => state === 'pending');
    const inputs = await this.#approvals().smallInputs(pending.map(({ toolUseId }) => toolUseId));
    const context = await this.#viewContext();
    return approvals.map((approval) => {
      const { toolUseId } = approval;
      return {
        ...summaryOf(approval, context),
        ...(inputs.has(toolUseId) && { input: inputs.get(toolUseId) }),
      };
    });
  }

  async #viewContext() {
    return { locale: this.#deps.config.locale, timeoutMs: await this.#desk.timeoutMs() };
  }

  #outcome(approval: ApprovalRecord): ApprovalOutcome {
    const { toolUseId, state: status } = approval;
    const note = noteOf(approval, this.#deps.config.locale);
    return { toolUseId, status, ...(note !== null && { note }) };
  }
}

function alreadyDecided({ state, cancelReason }: ApprovalRecord): AppError {
  const what =
    state === 'timeout'
      ? 'This request has timed out: the agent went on without a permission.'
      : state === 'cancelled'
        ? 'This request was cancelled: nobody waits for a decision any more.'
        : 'Somebody has decided this already.';
  return new AppError('approval_already_decided', what, {
    details: { status: state, ...(cancelReason !== null && { reason: cancelReason }) },
  });
}
