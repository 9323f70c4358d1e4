import { setTimeout as delay } from 'node:timers/promises';
import type { EXECUTORS } from '@aizuchi/shared/contract/run';
import { MAX_COORDINATOR_HOLD_SECONDS } from '@aizuchi/shared/contract/tools/common';
import type { AgentActions } from '@aizuchi/shared/contract/tools/coordinator-tools';
import { backoffMs } from '@aizuchi/shared/mcp-client/backoff';
import type { ToolClient } from '@aizuchi/shared/mcp-client/tool-client';
import { ToolRefused } from '@aizuchi/shared/mcp-client/tool-errors';
import type { Logger } from '@aizuchi/shared/platform/logger';
import type { ProgramReports } from '../programs/program-reports.ts';
import type { RunTable } from '../run-table.ts';
import type { Worktrees } from '../worktrees/worktrees.ts';
import type { MemoryReadings } from './memory-readings.ts';
import { PullReports } from './pull-reports.ts';
import { ServerClock } from './server-clock.ts';
import { type NewerField, understoodBeat } from './understood-beat.ts';

export interface AskActionsOptions {
  readonly client: Pick<ToolClient, 'call'>;
  readonly runs: Pick<RunTable, 'ids' | 'pulling' | 'start' | 'stop'>;
  readonly worktrees: Pick<Worktrees, 'carryOut'>;
  readonly programs: Pick<ProgramReports, 'look'>;
  readonly memory: Pick<MemoryReadings, 'changed' | 'told'>;
  readonly logger: Logger;
  readonly self: {
    readonly coordinator_id: string;
    readonly host: string;
    readonly boot_id: string;
    readonly instance_id: string;
    readonly capacity: number;
    readonly labels: string[];
    readonly roots: string[];
    readonly executor: (typeof EXECUTORS)[number];
    readonly keeps_egress?: true;
  };
  /** Upper limit of one wait; the server answers at once when there is something. */
  readonly holdSeconds: number;
}

export interface AskRound {
  readonly started: number;
  readonly stopped: number;
  /** Memberships without anything to start, and orders that were being carried out already. */
  readonly fruitless: number;
}

type Membership = AgentActions['pairs'][number];

interface Failure {
  readonly membership: Membership;
  readonly error: unknown;
}

const ANSWER_RESERVE_MS = 15_000;
/** While an image is pulled, how far it is goes out no later than this. */
const PULLING_HOLD_SECONDS = 1;
/** Less than the 15 s after which a silent Coordinator is shown as gone. */
const ACTION_TIMEOUT_MS = 10_000;
/** After a failure a round goes on for this long: with one more time limit it still ends before those 15 s. */
const MAX_FAILING_MS = 4_000;
const FIRST_FRUITLESS_PAUSE_MS = 50;
const MAX_FRUITLESS_PAUSE_MS = 1_000;

/**
 * Asks for work, starts and stops runs as the server orders; this is also the heartbeat of the Coordinator.
 */
export class AskActions {
  readonly #options: AskActionsOptions;
  readonly #stopped = new AbortController();
  readonly #firstOutcome = Promise.withResolvers<void>();
  readonly #idTaken = Promise.withResolvers<string>();
  readonly #pulls: PullReports;
  readonly #serverClock = new ServerClock();
  #loop: Promise<void> | undefined;
  #lastAnswerAt: number | undefined;
  /**
   * The time at which the Coordinator with our id was last seen, as the first of several refusals gave it.
   */
  #holderSeenAt: unknown;
  /** The names of the memberships that failed in the last round, and of those whose failure was logged. */
  #failed: ReadonlySet<string> = new Set();
  #logged: ReadonlySet<string> = new Set();
  /** What the server does not understand, as it was logged. */
  readonly #leftOut = new Set<string>();

  constructor(options: AskActionsOptions) {
    this.#options = options;
    this.#pulls = new PullReports(() => options.runs.pulling);
  }

  /** Milliseconds since the server last answered; undefined when it never did. */
  get silentMs(): number | undefined {
    return this.#lastAnswerAt === undefined ? undefined : performance.now() - this.#lastAnswerAt;
  }

  /**
   * Resolves when the server has answered or could not be reached, but not while it says that another
   * Coordinator has our id.
   */
  get firstOutcome(): Promise<void> {
    return this.#firstOutcome.promise;
  }

  /**
   * Resolves with the message of the server when another live Coordinator has our id. Then this loop has
   * ended.
   */
  get idTaken(): Promise<string> {
    return this.#idTaken.promise;
  }

  start(): void {
    this.#loop ??= this.#run();
  }

  /** Takes no new work from now on; resolves when the current call has been cancelled. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#loop;
  }

  async runOnce(): Promise<AskRound> {
    const { pairs, stop, changes = [], look_for_programs: shallLook } = await this.#wait();
    const { runs, worktrees, programs, logger } = this.#options;
    if (shallLook) void programs.look();
    let stopped = 0;
    let fruitless = 0;
    for (const { run_id: runId, reason } of stop) {
      if (runs.stop(runId)) {
        stopped += 1;
        logger.info({ runId, reason }, 'told to stop a run');
      } else fruitless += 1;
    }
    // One that is being carried out is named until it is reported.
    for (const order of changes) if (!worktrees.carryOut(order)) fruitless += 1;
    const asked = await this.#askFor(pairs);
    return { started: asked.started, stopped, fruitless: fruitless + asked.fruitless };
  }

  /**
   * A membership that fails does not concern the others; the next round asks for it last.
   * @throws the first failure when nothing was answered: the server may be away.
   */
  async #askFor(pairs: readonly Membership[]): Promise<Pick<AskRound, 'started' | 'fruitless'>> {
    const wasFull = this.#isFull;
    const beganAt = performance.now();
    const failures: Failure[] = [];
    let started = 0;
    let fruitless = 0;
    let isAnyAnswered = false;
    for (const membership of failedLast(pairs, this.#failed)) {
      // There is no place left: the remaining memberships wait in the queue already, or are named again.
      if (this.#isFull && !wasFull) break;
      // Time limits add up, and the next beat must not be late.
      if (failures.length > 0 && performance.now() - beganAt > MAX_FAILING_MS) break;
      const { count, failure } = await this.#startAll(membership);
      started += count;
      if (count === 0) fruitless += 1;
      if (failure !== undefined) failures.push(failure);
      isAnyAnswered ||= count > 0 || failure === undefined;
    }
    this.#failed = new Set(failures.map(({ membership }) => nameOf(membership)));
    if (failures[0] !== undefined && !isAnyAnswered) throw failures[0].error;
    this.#log(failures);
    return { started, fruitless };
  }

  /** Each membership once, until it is answered. */
  #log(failures: readonly Failure[]): void {
    for (const { membership, error } of failures) {
      const { agent_id: agentId, project_id: projectId } = membership;
      if (!this.#logged.has(nameOf(membership)))
        this.#options.logger.warn({ err: error, agentId, projectId }, 'no action for an agent; asking again');
    }
    this.#logged = new Set(failures.map(({ membership }) => nameOf(membership)));
  }

  async #wait(): Promise<AgentActions> {
    const { client, runs, self, memory } = this.#options;
    const holdSeconds = this.#holdSeconds();
    const readings = memory.changed();
    const pulling = this.#pulls.changed();
    const asOf = this.#serverClock.now();
    const beat = {
      ...self,
      running: runs.ids,
      ...(asOf && { as_of: asOf }),
      ...(readings.length > 0 && { memory: readings }),
      ...(pulling && { pulling }),
      hold_seconds: holdSeconds,
    };
    const limits = { timeoutMs: holdSeconds * 1000 + ANSWER_RESERVE_MS, signal: this.#stopped.signal };
    const answer = await understoodBeat(beat, {
      call: (known) => client.call('wait_for_agent_actions', known, limits),
      leftOut: (field) => this.#leaveOut(field),
    });
    memory.told(readings);
    if (pulling) this.#pulls.told(pulling);
    this.#lastAnswerAt = performance.now();
    this.#serverClock.answered(answer.server_time);
    this.#holderSeenAt = undefined;
    this.#firstOutcome.resolve();
    return answer;
  }

  #leaveOut(field: NewerField): void {
    const { logger } = this.#options;
    if (field === 'pulling') this.#pulls.notUnderstood();
    if (field === 'as_of') this.#serverClock.forget();
    if (!this.#leftOut.has(field)) logger.info({ field }, 'the server is of an earlier release');
    this.#leftOut.add(field);
  }

  #holdSeconds(): number {
    if (this.#lastAnswerAt === undefined) return 0;
    const most = this.#pulls.isAny ? PULLING_HOLD_SECONDS : MAX_COORDINATOR_HOLD_SECONDS;
    return Math.min(this.#options.holdSeconds, most);
  }

  /**
   * A membership may have several things to start: asks until the answer is no start, or no place is left. It
   * also asks without a place, because only then the server knows that the membership waits for one, and
   * stops its clock.
   */
  async #startAll(membership: Membership): Promise<{ count: number; failure?: Failure }> {
    const { client, runs, self } = this.#options;
    let count = 0;
    try {
      while (!this.#stopped.signal.aborted) {
        // A start that was taken must be carried out, so the signal does not cancel this call.
        const args = { ...membership, coordinator_id: self.coordinator_id, instance_id: self.instance_id };
        const action = await client.call('get_agent_action', args, { timeoutMs: ACTION_TIMEOUT_MS });
        if (action.action !== 'start') return { count };
        count += 1;
        runs.start({ agentId: membership.agent_id, projectId: membership.project_id }, action);
        if (this.#isFull) return { count };
      }
      return { count };
    } catch (error) {
      return { count, failure: { membership, error } };
    }
  }

  get #isFull(): boolean {
    return this.#options.runs.ids.length >= this.#options.self.capacity;
  }

  async #run(): Promise<void> {
    let failures = 0;
    let pauseMs = FIRST_FRUITLESS_PAUSE_MS;
    while (!this.#stopped.signal.aborted) {
      try {
        const round = await this.runOnce();
        failures = 0;
        // The server named it again at once although there is nothing to start: asking faster would not help.
        if (round.started + round.stopped === 0 && round.fruitless > 0) {
          await this.#pause(pauseMs);
          pauseMs = Math.min(pauseMs * 2, MAX_FRUITLESS_PAUSE_MS);
        } else pauseMs = FIRST_FRUITLESS_PAUSE_MS;
      } catch (error) {
        if (this.#stopped.signal.aborted) return;
        failures += 1;
        if (failures === 1)
          this.#options.logger.warn({ err: error }, 'the server does not answer; asking again');
        if (!(error instanceof ToolRefused && error.code === 'coordinator_id_taken'))
          this.#firstOutcome.resolve();
        else if (this.#isHolderAlive(error)) return this.#idTaken.resolve(error.message);
        await this.#pause(backoffMs(failures));
      }
    }
  }

  /**
   * The other Coordinator was seen after our first call. One that stays silent may be this Coordinator on
   * another host: its id becomes free.
   */
  #isHolderAlive({ details }: ToolRefused): boolean {
    const seenAt = details.last_seen_at ?? 'unknown';
    this.#holderSeenAt ??= seenAt;
    return seenAt === 'unknown' || seenAt !== this.#holderSeenAt;
  }

  async #pause(milliseconds: number): Promise<void> {
    // The only rejection comes from the stop, which the condition of the loop checks.
    await delay(milliseconds, undefined, { signal: this.#stopped.signal }).catch(() => undefined);
  }
}

function nameOf({ agent_id: agentId, project_id: projectId }: Membership): string {
  return `${projectId}/${agentId}`;
}

function failedLast(pairs: readonly Membership[], failed: ReadonlySet<string>): Membership[] {
  const isFailed = (membership: Membership) => failed.has(nameOf(membership));
  return [...pairs.filter((one) => !isFailed(one)), ...pairs.filter(isFailed)];
}
