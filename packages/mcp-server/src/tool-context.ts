import type { NextAction } from '@aizuchi/shared/core/sessions/rules/next-action';
import type { ControlOffer } from '@aizuchi/shared/core/sessions/rules/turn-control';
import { EVERYTHING } from '@aizuchi/shared/platform/changes/keys';
import type { Clock } from '@aizuchi/shared/platform/clock';
import { FailureLimit } from '@aizuchi/shared/platform/http/failure-limit';
import { LARGE_ANSWERS, Turnstile } from '@aizuchi/shared/platform/http/turnstile';
import type { Logger } from '@aizuchi/shared/platform/logger';
import { AcknowledgementLedger } from './acknowledgement-ledger.ts';
import { CallerCache } from './caller-cache.ts';
import { Peers } from './held/peers.ts';
import { type HeldRequest, WaitingRoom } from './held/waiting-room.ts';
import { RateLimiter } from './http/rate-limiter.ts';
import type { CoordinatorWork, QuestionOutcome, Services } from './ports.ts';
import type { Instructions } from './texts/instructions.ts';
import { TouchBatch } from './touch-batch.ts';

/** From one address. */
const WRONG_BEARERS_PER_MINUTE = 60;
/**
 * Code units per minute and session: much more than any model writes. Each one is sent to every page that
 * watches.
 */
const GROWTH_PER_MINUTE = 1_000_000;

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
  readonly ledger: AcknowledgementLedger;
  readonly touches: TouchBatch;
  readonly callers: CallerCache;
  /** Calls whose answers may be large, by session. */
  readonly largeAnswers: Turnstile;
  readonly peers: Peers;
  /** Held get_next_action calls, by session. */
  readonly actions: WaitingRoom<HeldRequest, NextAction>;
  /** Held ask_user_question calls, by card. */
  readonly answers: WaitingRoom<HeldRequest, QuestionOutcome>;
  /** Held heartbeats, by session. */
  readonly controls: WaitingRoom<HeldRequest, ControlOffer | null>;
  /** Held wait_for_agent_actions calls, by Coordinator. */
  readonly work: WaitingRoom<HeldRequest, CoordinatorWork>;
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
  const { sessions, coordination, questions } = services;
  const onReadError = (error: unknown) => logger.warn({ err: error }, 'held calls could not look again');
  const actions = new WaitingRoom<HeldRequest, NextAction>({
    read: (requests) => sessions.nextActions(distinctIds(requests)),
    isReady: (action) => action.kind !== 'wait',
    withNews: (requests) => sessions.withNews(distinctIds(requests)),
    onReadError,
    // This process does not know what a session does at another process.
    mayResume: () => peers.count === 0,
  });
  const answers = new WaitingRoom<HeldRequest, QuestionOutcome>({
    read: (requests) => questions.outcomes(distinctIds(requests)),
    isReady: ({ status }) => status !== 'pending',
    onReadError,
  });
  const controls = new WaitingRoom<HeldRequest, ControlOffer | null>({
    read: (requests) => sessions.controls(distinctIds(requests)),
    isReady: (control) => control !== null,
    onReadError,
  });
  const work = new WaitingRoom<HeldRequest, CoordinatorWork>({
    read: (requests) => readEach(distinctIds(requests), (id) => coordination.work(id)),
    isReady: ({ pairs, stop }) => pairs.length > 0 || stop.length > 0,
    onReadError,
    chunkSize: 4,
  });
  const peers = new Peers({
    instanceId: options.instanceId,
    clock,
    notify: options.notify,
    onNewerCall: (sessionId, openedBefore) => actions.supersede(sessionId, openedBefore),
  });
  const rooms = [actions, answers, controls, work];
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
    ledger: new AcknowledgementLedger(logger),
    touches: new TouchBatch((ids) => sessions.touch(ids), logger),
    callers: new CallerCache(clock),
    largeAnswers: new Turnstile(LARGE_ANSWERS),
    peers,
    observe: options.observe,
    actions,
    answers,
    controls,
    work,
    heldCalls: () => rooms.reduce((sum, room) => sum + room.size, 0),
    onKeys(keys) {
      peers.onKeys(keys);
      if (keys.includes(EVERYTHING)) for (const room of rooms) room.wakeAll();
      else for (const room of rooms) room.wake(keys);
    },
    isStopping: () => stopping,
    stopHolding() {
      stopping = true;
      for (const room of rooms) room.stop();
    },
  };
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
