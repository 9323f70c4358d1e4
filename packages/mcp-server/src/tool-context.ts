import type { NextAction } from '@aizuchi/shared/core/sessions/rules/next-action';
import type { ControlOffer } from '@aizuchi/shared/core/sessions/rules/turn-control';
import type { VisionOutcome } from '@aizuchi/shared/core/vision/agent-vision';
import { EVERYTHING, keys } from '@aizuchi/shared/platform/change-log/keys';
import type { Clock } from '@aizuchi/shared/platform/clock';
import { FailureLimit } from '@aizuchi/shared/platform/http/failure-limit';
import { LARGE_ANSWERS, Turnstile } from '@aizuchi/shared/platform/http/turnstile';
import type { Logger } from '@aizuchi/shared/platform/logger';
import { AcknowledgementLedger } from './acknowledgement-ledger.ts';
import { HeldCalls, type HeldRequest } from './held/held-calls.ts';
import { Peers } from './held/peers.ts';
import { RateLimiter } from './http/rate-limiter.ts';
import type { ApprovalOutcome, CoordinatorWork, QuestionOutcome, Services } from './ports.ts';
import { Recollections } from './recollections.ts';
import { SessionCache } from './session-cache.ts';
import type { Instructions } from './texts/instructions.ts';
import { TouchBatch } from './touch-batch.ts';

/** From one address. */
const WRONG_BEARERS_PER_MINUTE = 60;
/**
 * Code units per minute and session: much more than any model writes. Each one is sent to every page that
 * watches.
 */
const GROWTH_PER_MINUTE = 1_000_000;
/** The same for steps, which are stored; and as many at once as one answer may have. */
const STEP_GROWTH_PER_MINUTE = 1_000_000;
const STEP_BURST = 15_000_000;

export interface ToolContextOptions {
  readonly services: Services;
  readonly instructions: Instructions;
  readonly coordinatorToken: string;
  readonly rateLimitPerMinute: number;
  readonly version: string;
  readonly instanceId: string;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Notifies other processes; see held/peers.ts. */
  readonly notify: (keys: string[]) => void;
  readonly observe: ToolObserver;
  /** Whether there is a memory service at all. */
  readonly hasMemory: boolean;
  /** How long a delivery waits for it. */
  readonly memoryWaitMs?: number | undefined;
}

/** Every call of a tool after it has ended; the time of held calls includes their waiting. */
type ToolObserver = (tool: string, outcome: 'ok' | 'error', seconds: number) => void;

/** What every tool can use: the services, and what this process remembers between calls. */
export interface ToolContext extends Services {
  readonly instructions: Instructions;
  readonly coordinatorToken: string;
  readonly version: string;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly limiter: RateLimiter;
  /** By address; undefined: no limit. */
  readonly wrongBearers: FailureLimit | undefined;
  /** Characters of partial answers, by session. */
  readonly growth: RateLimiter;
  /** Characters of steps, by session. */
  readonly stepGrowth: RateLimiter;
  readonly ledger: AcknowledgementLedger;
  readonly touches: TouchBatch;
  readonly callers: SessionCache;
  /** Calls whose answers may be large, by session. */
  readonly largeAnswers: Turnstile;
  readonly peers: Peers;
  /** Undefined: there is no memory service. */
  readonly recollections: Recollections | undefined;
  /** Held get_next_action calls, by session. */
  readonly actions: HeldCalls<HeldRequest, NextAction>;
  /** Held ask_user_question calls, by card. */
  readonly answers: HeldCalls<HeldRequest, QuestionOutcome>;
  /** Held request_approval calls, by approval. */
  readonly decisions: HeldCalls<HeldRequest, ApprovalOutcome>;
  /** Held request_vision calls, by request. */
  readonly sights: HeldCalls<HeldRequest, VisionOutcome>;
  /** Held heartbeats, by session. */
  readonly controls: HeldCalls<HeldRequest, ControlOffer | null>;
  /** Held wait_for_agent_actions calls, by Coordinator. */
  readonly work: HeldCalls<HeldRequest, CoordinatorWork>;
  readonly observe: ToolObserver;
  heldCalls(): number;
  /** Handles the keys of a NOTIFY: held calls of these keys check again. */
  onKeys(keys: readonly string[]): void;
  isStopping(): boolean;
  /** Answers all held calls; from now on tools are refused. */
  stopHolding(): void;
}

export function createToolContext(options: ToolContextOptions): ToolContext {
  const { services, logger, clock } = options;
  const { sessions, coordination, questions, approvals, vision } = services;
  const onReadError = (error: unknown) => logger.warn({ err: error }, 'held calls could not look again');
  const actions = new HeldCalls<HeldRequest, NextAction>({
    read: (requests) => sessions.nextActions(distinctIds(requests)),
    isReady: (action) => action.kind !== 'wait',
    withNews: (requests) => sessions.withNews(distinctIds(requests)),
    // What ends the work of another agent in the folder is written to the log of the project.
    alsoAt: (action) =>
      action.kind === 'wait' && action.folderOf !== undefined ? keys.log(action.folderOf) : undefined,
    onReadError,
    // This process does not know what a session does at another process.
    mayResume: () => peers.count === 0,
  });
  const answers = new HeldCalls<HeldRequest, QuestionOutcome>({
    read: (requests) => questions.outcomes(distinctIds(requests)),
    isReady: ({ status }) => status !== 'pending',
    onReadError,
  });
  const decisions = new HeldCalls<HeldRequest, ApprovalOutcome>({
    read: (requests) => approvals.outcomes(distinctIds(requests)),
    isReady: ({ status }) => status !== 'pending',
    onReadError,
  });
  const sights = new HeldCalls<HeldRequest, VisionOutcome>({
    read: (requests) => vision.outcomes(distinctIds(requests)),
    isReady: ({ status }) => status !== 'pending',
    onReadError,
  });
  const controls = new HeldCalls<HeldRequest, ControlOffer | null>({
    read: (requests) => sessions.controls(distinctIds(requests)),
    isReady: (control) => control !== null,
    onReadError,
  });
  const work = new HeldCalls<HeldRequest, CoordinatorWork>({
    read: (requests) => readEach(distinctIds(requests), (id) => coordination.work(id)),
    isReady: ({ pairs, stop, changes }) => pairs.length > 0 || stop.length > 0 || changes.length > 0,
    onReadError,
    // The end of each call asks whether there is work (wait-for-agent-actions.ts).
    mayResume: () => true,
    resumedFromMs: 100,
    chunkSize: 4,
  });
  const peers = new Peers({
    instanceId: options.instanceId,
    clock,
    notify: options.notify,
    onNewerCall: (sessionId, openedBefore) => actions.supersede(sessionId, openedBefore),
  });
  const rooms = [actions, answers, decisions, sights, controls, work];
  let stopping = false;
  return {
    ...services,
    instructions: options.instructions,
    coordinatorToken: options.coordinatorToken,
    version: options.version,
    logger,
    clock,
    limiter: new RateLimiter(options.rateLimitPerMinute, clock),
    wrongBearers:
      options.rateLimitPerMinute === 0 ? undefined : new FailureLimit(WRONG_BEARERS_PER_MINUTE, clock),
    growth: new RateLimiter(GROWTH_PER_MINUTE, clock),
    stepGrowth: new RateLimiter(STEP_GROWTH_PER_MINUTE, clock, STEP_BURST),
    ledger: new AcknowledgementLedger(logger),
    touches: new TouchBatch((ids) => sessions.touch(ids), logger),
    callers: new SessionCache(clock),
    largeAnswers: new Turnstile(LARGE_ANSWERS),
    peers,
    recollections: recollectionsOf(options),
    observe: options.observe,
    actions,
    answers,
    decisions,
    sights,
    controls,
    work,
    heldCalls: () => rooms.reduce((sum, room) => sum + room.size, 0),
    onKeys(dirty) {
      peers.onKeys(dirty);
      if (dirty.includes(EVERYTHING)) for (const room of rooms) room.wakeAll();
      else for (const room of rooms) room.wake(dirty);
    },
    isStopping: () => stopping,
    stopHolding() {
      stopping = true;
      for (const room of rooms) room.stop();
    },
  };
}

function recollectionsOf(options: ToolContextOptions): Recollections | undefined {
  const { services, clock, logger, memoryWaitMs: waitMs } = options;
  if (!options.hasMemory) return undefined;
  return new Recollections({ services, clock, logger, ...(waitMs !== undefined && { waitMs }) });
}

async function readEach<T>(
  ids: readonly string[],
  read: (id: string) => Promise<T>,
): Promise<Map<string, T>> {
  return new Map(await Promise.all(ids.map(async (id): Promise<[string, T]> => [id, await read(id)])));
}

function distinctIds(requests: readonly HeldRequest[]): string[] {
  return [...new Set(requests.map(({ id }) => id))];
}
