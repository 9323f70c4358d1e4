import { APPROVAL_LIMITS } from '../../contract/approval.ts';
import type { Tx } from '../../platform/db/database.ts';
import { AppError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { AgentCaller } from '../access/agent-caller.ts';
import { knownCard } from '../cards/known-card.ts';
import { byteQuota, countTextIfRoom, quotaReached } from '../chat/quota/byte-quota.ts';
import type { ServiceDeps } from '../deps.ts';
import { isKeptOf } from '../idempotency/idempotent-queries.ts';
import { keepResult, keptResult } from '../idempotency/idempotent-results.ts';
import { mayAskNow } from '../questions/may-ask.ts';
import { noteActivity } from '../sessions/activity-queries.ts';
import { SessionQueries } from '../sessions/session-queries.ts';
import type { SessionRecord } from '../sessions/session-record.ts';
import { APPROVAL_CARDS, tellApproval } from './approval-lifecycle.ts';
import { type ApprovalContent, ApprovalQueries, type ApprovalRecord } from './approval-queries.ts';
import { fingerprintOf } from './request-fingerprint.ts';
import { isInheritedOver } from './rules/approval-machine.ts';
import type { ApprovalKind } from './rules/approval-states.ts';
import { cutInput, isTooDeep, MAX_INPUT_DEPTH } from './rules/cut-input.ts';
import { decideByPolicy } from './rules/permission-policy.ts';

export interface RequestInput {
  /** Absent, like summary and input: only the state of the approval of `toolUseId` is requested. */
  readonly tool?: string | undefined;
  readonly summary?: string | undefined;
  /** Any JSON. */
  readonly input?: unknown;
  /** other when absent. */
  readonly kind?: ApprovalKind | undefined;
  readonly sessionScope?: string | undefined;
  readonly toolUseId?: string | undefined;
  readonly idempotencyKey?: string | undefined;
}

export type Requested =
  | { readonly status: 'stands'; readonly toolUseId: string }
  /** Nothing is stored: there is nobody whom it could be shown to, or the session is over. */
  | { readonly status: 'unavailable' | 'cancelled'; readonly toolUseId: string };

/** The whole request, before it is stored. */
interface Request extends ApprovalContent {
  readonly input: unknown;
  readonly json: string;
  readonly fingerprint: string;
}

const TOOL = 'request_approval';

/**
 * How a request is stored: found again, taken over from a session that has ended, decided by the policy of
 * the project, shown to people, or refused.
 */
export class ApprovalRequesting {
  readonly #deps: ServiceDeps;

  constructor(deps: ServiceDeps) {
    this.#deps = deps;
  }

  async request(caller: AgentCaller, input: RequestInput): Promise<Requested> {
    const request = readRequest(input);
    const quota = await byteQuota(this.#deps);
    return this.#deps.database.transaction(async (tx) => {
      const sessions = new SessionQueries(tx.db);
      await sessions.lockMembership(caller.projectId, caller.agentId);
      const session = await sessions.lockById(caller.sessionId);
      const known = await this.#known(tx, caller, input, request);
      if (known !== null) return { status: 'stands', toolUseId: known };
      if (request === null) throw incomplete(input);
      const toolUseId = input.toolUseId ?? newId('toolu');
      if (session?.state !== 'active') return { status: 'cancelled', toolUseId };
      const approvals = new ApprovalQueries(tx.db);
      await requireRate(approvals, session.id, await tx.now());
      const decided = decideByPolicy(await approvals.policyOf(caller.projectId), request.kind);
      if (decided === null) {
        if (!(await mayAskNow(tx.db, session))) return { status: 'unavailable', toolUseId };
        if ((await approvals.countOpen(session.id)) >= APPROVAL_LIMITS.open) throw tooMany();
      }
      await this.#store(tx, session, request, { toolUseId, decided, quota, key: input.idempotencyKey });
      return { status: 'stands', toolUseId };
    });
  }

  async #known(
    tx: Tx,
    caller: AgentCaller,
    { toolUseId, idempotencyKey: key }: RequestInput,
    request: Request | null,
  ): Promise<string | null> {
    const call = { tool: TOOL, key } as const;
    const { sessionId } = caller;
    const now = await tx.now();
    // A decision that was offered may have been used, so the next request is another one. A call with a key is
    // not the repetition of another one: of its own session it means only what was decided for the session
    // before, once.
    const means = async (approval: ApprovalRecord) => {
      const { offeredAt, inheritedAt, toolUseId: id } = approval;
      if (isInheritedOver(approval, now)) {
        await APPROVAL_CARDS.apply(tx, approval, { type: 'orphan_over' }, now);
        return false;
      }
      if (offeredAt !== null || key === undefined) return offeredAt === null;
      return inheritedAt !== null && !(await isKeptOf(tx.db, { sessionId, tool: TOOL, toolUseId: id }));
    };
    const kept = await keptResult(tx.db, caller, call);
    const known = await knownCard(tx, APPROVAL_CARDS, caller, {
      id: toolUseId ?? null,
      keptId: kept?.toolUseId ?? null,
      fingerprint: request?.fingerprint ?? null,
      means,
    });
    if (known !== null && kept === null) await keepResult(tx, caller, call, { toolUseId: known });
    return known;
  }

  async #store(
    tx: Tx,
    session: SessionRecord,
    { tool, kind, summary, sessionScope, input, json, fingerprint }: Request,
    as: {
      toolUseId: string;
      decided: ReturnType<typeof decideByPolicy>;
      quota: number;
      key: string | undefined;
    },
  ): Promise<void> {
    const now = await tx.now();
    const { projectId, agentId, id: sessionId } = session;
    const { toolUseId, decided, quota, key } = as;
    const cut = cutInput(input, APPROVAL_LIMITS.inputBytes);
    const shown = cut.isCut ? JSON.stringify(cut.input) : json;
    const isMade = await new ApprovalQueries(tx.db).insert({
      ...{
        toolUseId,
        projectId,
        agentId,
        sessionId,
        tool,
        kind,
        summary,
        sessionScope,
        fingerprint,
        decided,
      },
      input: shown,
      inputCut: cut.isCut,
      createdAt: now,
    });
    if (!isMade)
      throw new AppError('invalid_input', 'This tool_use_id is taken. Leave it out, or take a new one.');
    const membership = { projectId, agentId };
    // Like the line of a message: also what is empty is stored.
    const line =
      JSON.stringify({
        toolUseId,
        ...membership,
        sessionId,
        tool,
        kind,
        summary,
        sessionScope,
        fingerprint,
      }) + shown;
    if (!(await countTextIfRoom(this.#deps, tx, membership, { text: line, quota })))
      throw quotaReached(this.#deps, membership, { quota });
    await keepResult(tx, { sessionId }, { tool: TOOL, key }, { toolUseId });
    // What the policy decides concerns nobody at the moment: no page reads its inbox again for it.
    if (decided !== null) return;
    await noteActivity(tx.db, sessionId, now);
    await tellApproval(tx, { ...membership, toolUseId });
  }
}

/** Null: the call asks for a state only. @throws AppError invalid_input */
function readRequest(request: RequestInput): Request | null {
  const { tool, summary, input, kind = 'other', sessionScope = null } = request;
  if (tool === undefined || summary === undefined || input === undefined) return null;
  if (isTooDeep(input))
    throw new AppError('invalid_input', `input: nested deeper than ${MAX_INPUT_DEPTH} levels`);
  const json = JSON.stringify(input);
  const fingerprint = fingerprintOf({ tool, kind, summary }, json);
  return { tool, kind, summary, sessionScope, input, json, fingerprint };
}

function incomplete({ tool, summary, input, toolUseId }: RequestInput): AppError {
  const isStateOnly = tool === undefined && summary === undefined && input === undefined;
  if (isStateOnly && toolUseId !== undefined)
    return new AppError(
      'approval_not_found',
      'You have no request with this tool_use_id. Give tool, summary and input too.',
    );
  return new AppError(
    'invalid_input',
    'Give tool, summary and input, or the tool_use_id of a request that you have made.',
  );
}

const HOUR_MS = 3_600_000;

/** What a policy decides is stored too, at once and without a person who would slow it down. */
async function requireRate(approvals: ApprovalQueries, sessionId: string, now: Date): Promise<void> {
  const oldest = await approvals.newestBut(sessionId, APPROVAL_LIMITS.perHour);
  const waitMs = oldest === null ? 0 : oldest.getTime() + HOUR_MS - now.getTime();
  if (waitMs <= 0) return;
  throw new AppError(
    'rate_limited',
    `You have made ${APPROVAL_LIMITS.perHour} requests in an hour, which is the limit. Nothing is decided or stored.`,
    { retryAfterSeconds: Math.ceil(waitMs / 1_000) },
  );
}

function tooMany(): AppError {
  return new AppError(
    'invalid_input',
    `${APPROVAL_LIMITS.open} of your requests are open, which is the limit. Wait for a decision first.`,
  );
}
