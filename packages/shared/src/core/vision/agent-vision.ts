import { keys } from '../../platform/change-log/keys.ts';
import type { Tx } from '../../platform/db/database.ts';
import { AppError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { AgentCaller } from '../access/agent-caller.ts';
import { chatThreadId } from '../chat/thread-id.ts';
import type { ServiceDeps } from '../deps.ts';
import { keepResult, keptResult } from '../idempotency/idempotent-results.ts';
import { mayAskNow } from '../questions/may-ask.ts';
import { noteActivity } from '../sessions/activity-queries.ts';
import { SessionQueries } from '../sessions/session-queries.ts';
import type { SessionRecord } from '../sessions/session-record.ts';
import { isOpen, MAX_OPEN, statusAt } from './rules/vision-machine.ts';
import {
  countOpen,
  descriptionOf,
  findVisionRequests,
  insertVisionRequest,
  lockAsked,
  personToAsk,
  untoldOfSession,
  type VisionRow,
} from './vision-queries.ts';

/** cancelled: the session or the request is over, or the description was deleted. */
export interface VisionOutcome {
  readonly requestId: string | null;
  readonly status: 'pending' | 'answered' | 'declined' | 'timeout' | 'cancelled' | 'no_person' | 'no_model';
  readonly description?: string;
  readonly eventId?: string;
  /** Why it was declined. */
  readonly reason?: string;
}

export interface VisionInput {
  readonly source: string;
  readonly timeoutMs: number;
  readonly idempotencyKey?: string | undefined;
}

export interface AgentVisionDeps extends ServiceDeps {
  /** Whether this installation has a model that could describe an image. */
  readonly hasModel: boolean;
}

/** Agents ask for images, and are told what these show. */
export class AgentVision {
  readonly #deps: AgentVisionDeps;

  constructor(deps: AgentVisionDeps) {
    this.#deps = deps;
  }

  /** Asks unless it has asked for the same and has not acknowledged the end. @throws AppError rate_limited */
  async ask(caller: AgentCaller, input: VisionInput): Promise<VisionOutcome> {
    if (!this.#deps.hasModel) return { requestId: null, status: 'no_model' };
    const asked = await this.#deps.database.transaction((tx) => this.#ask(tx, caller, input));
    if (typeof asked !== 'string') return asked;
    return (await this.outcomes([asked])).get(asked) ?? { requestId: asked, status: 'cancelled' };
  }

  /** What became of these so far. */
  async outcomes(ids: readonly string[]): Promise<Map<string, VisionOutcome>> {
    const { database } = this.#deps;
    const rows = await findVisionRequests(database.db, ids);
    const now = await database.now();
    const outcomes = await Promise.all(rows.map((row) => this.#outcomeOf(row, now)));
    const gone = ids.map((id): [string, VisionOutcome] => [id, { requestId: id, status: 'cancelled' }]);
    return new Map([...gone, ...outcomes.map((one): [string, VisionOutcome] => [one.requestId ?? '', one])]);
  }

  async #ask(tx: Tx, caller: AgentCaller, input: VisionInput): Promise<VisionOutcome | string> {
    const { projectId, agentId, sessionId } = caller;
    const { source, timeoutMs, idempotencyKey: key } = input;
    const call = { tool: 'request_vision', key } as const;
    const sessions = new SessionQueries(tx.db);
    await sessions.lockMembership(projectId, agentId);
    const session = await sessions.lockById(sessionId);
    if (session?.state !== 'active') return { requestId: null, status: 'cancelled' };
    const kept = await keptResult(tx.db, caller, call);
    if (kept?.visionId) return kept.visionId;
    const known = await untoldOfSession(tx.db, { sessionId, source, now: await tx.now() });
    if (known) {
      await keepResult(tx, caller, call, { visionId: known.id });
      return known.id;
    }
    const clientId = await this.#personFor(tx, session);
    if (clientId === undefined) return { requestId: null, status: 'no_person' };
    await lockAsked(tx.db, agentId);
    const now = await tx.now();
    if ((await countOpen(tx.db, agentId, now)) >= MAX_OPEN)
      throw new AppError(
        'rate_limited',
        'Too many of your requests are open. Wait for their answers first.',
        {
          retryAfterSeconds: 10,
        },
      );
    const id = newId('vis');
    const request = { id, agentId, projectId, clientId, source, timeoutMs, createdAt: now };
    await insertVisionRequest(tx.db, { ...request, askedBy: null, sessionId });
    await keepResult(tx, caller, call, { visionId: id });
    await noteActivity(tx.db, sessionId, now);
    tx.dirty(keys.vision(agentId));
    return id;
  }

  async #personFor(tx: Tx, session: SessionRecord): Promise<string | undefined> {
    if (!(await mayAskNow(tx.db, session))) return undefined;
    return personToAsk(tx.db, session, chatThreadId(session.projectId, session.agentId));
  }

  async #outcomeOf(row: VisionRow, now: Date): Promise<VisionOutcome> {
    const { id: requestId, eventId, reason } = row;
    const status = statusAt(row, now);
    if (isOpen(status)) return { requestId, status: 'pending' };
    if (status === 'cancelled') return { requestId, status };
    if (status === 'declined') return { requestId, status, ...(reason !== null && { reason }) };
    if (status !== 'described' || eventId === null) return { requestId, status: 'timeout' };
    const description = await descriptionOf(this.#deps.database.db, eventId);
    if (description === undefined) return { requestId, status: 'cancelled' };
    return { requestId, status: 'answered', description, eventId };
  }
}
