import type { GrownBy, GrowthStepRecord } from '../../../contract/memory.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { Logger } from '../../../platform/logger.ts';
import { ModelError } from '../../../platform/models/model-ports.ts';
import { entitiesOf } from '../rules/growth/entities.ts';
import { aboutKeyOf, claimsOfEvent, growByRules } from '../rules/growth/rule-growth.ts';
import type { WritePlan } from '../rules/growth/write-plan.ts';
import { applyPlan, SaysOther } from './apply-plan.ts';
import { cleanWritePlan } from './clean-write-plan.ts';
import { whileAlone } from './growth-lock-queries.ts';
import {
  agentGrowth,
  agentsToGrow,
  dropPlan,
  eventsBefore,
  type Growing,
  knownStates,
  lastNaming,
  markApplied,
  markFailed,
  nextGrowing,
  previousEvent,
  retryParked,
  saveAgentStep,
  savePlan,
} from './growth-queries.ts';
import type { Grower } from './model-grower.ts';
import { storedPlanSchema } from './plan-json.ts';
import { isAsSeen, type Seen, seenOf } from './seen.ts';
import { refreshSummaries } from './summaries.ts';
import { type Merger, tidyMemory } from './tidy.ts';

export interface GrowthDeps {
  readonly database: Database;
  readonly logger: Logger;
  /** Whose days are counted. */
  readonly timeZone: string;
  /** Without it, by rules. */
  readonly grower?: Grower | undefined;
  readonly merger?: Merger | undefined;
  /** What was written is embedded now. */
  readonly onGrown?: (() => void) | undefined;
  /** For tests: the delays of the attempts after the first. */
  readonly retryMs?: readonly number[];
}

/** retryMs: what is next is to be tried again then. */
export interface Grown {
  readonly applied: number;
  readonly retryMs: number | null;
}

const MOST_ATTEMPTS = 5;
/** Delays of the second attempt and those after it. */
const RETRY_MS = [1_000, 5_000, 15_000, 30_000];
const CONTEXT_EVENTS = 12;
const CONTEXT_STATES = 24;
/** Summaries are made anew at each so many events: the same ones, wherever a process was killed. */
const SUMMARIES_EVERY = 100;
const FIRST_TIDY = 10;
const TIDY_EVERY = 200;
/** What fails at every event, as long as it lasts. */
const SERVER_AWAY = 'model_unavailable';
/** An event that was parked because a server was away is tried again by itself so often at most. */
const MOST_ATTEMPTS_EVER = 10;

/** The same, unless another process grows this memory: then undefined. */
export function growAlone(
  deps: GrowthDeps,
  agentId: string,
  signal: AbortSignal,
): Promise<Grown | undefined> {
  return whileAlone(deps.database, agentId, () => growAgent(deps, agentId, signal));
}

/** The agents of which something is to grow now. */
export function growingAgents({ database }: GrowthDeps, limit: number): Promise<string[]> {
  return agentsToGrow(database.db, limit);
}

/**
 * Lets the memory of one agent grow, event by event in their order, until nothing is left. What is done stands in the
 * database: whoever comes after a kill goes on at the same place, and makes the same rows. The caller sees to it that
 * nobody else grows this memory.
 */
export async function growAgent(deps: GrowthDeps, agentId: string, signal: AbortSignal): Promise<Grown> {
  let applied = 0;
  await finishBoundary(deps, agentId, signal);
  while (!signal.aborted) {
    const growing = await nextGrowing(deps.database.db, agentId);
    if (!growing || growing.waitMs > 0) {
      await summarise(deps, agentId);
      return { applied, retryMs: growing ? growing.waitMs : null };
    }
    if (!(await growEvent(deps, growing, signal))) continue;
    applied += 1;
    await finishBoundary(deps, agentId, signal);
  }
  return { applied, retryMs: null };
}

/** What belongs to a number of events, before the next one: also when a process was killed just before it. */
async function finishBoundary(deps: GrowthDeps, agentId: string, signal: AbortSignal): Promise<void> {
  const { applied, tidiedAtApplied, lastEventAt } = await agentGrowth(deps.database.db, agentId);
  if (applied % SUMMARIES_EVERY === 0) await summarise(deps, agentId);
  const isDue = tidiedAtApplied === 0 ? applied >= FIRST_TIDY : applied - tidiedAtApplied >= TIDY_EVERY;
  if (isDue && lastEventAt) await tidy(deps, agentId, { applied, now: lastEventAt, signal });
}

/** True: it is applied. */
async function growEvent(deps: GrowthDeps, growing: Growing, signal: AbortSignal): Promise<boolean> {
  const { database, logger } = deps;
  const started = performance.now();
  const { event, agentId, projectId } = growing;
  let step = 'plan';
  try {
    const { plan, madeBy, dropped, seen } = await planOf(deps, growing, signal);
    step = 'apply';
    const applyStarted = performance.now();
    const isApplied = await database.transaction(async (tx) => {
      if (!(await isAsSeen(tx.db, seen))) {
        await dropPlan(tx.db, event.id);
        return false;
      }
      const { timeZone } = deps;
      const done = await applyPlan(tx, { event, agentId, projectId, madeBy, seen, timeZone }, plan);
      if (!done) return false;
      const record = recordOf(applyStarted, done.counts);
      const all = [...dropped, ...done.dropped].slice(0, 50);
      if (
        !(await markApplied(tx.db, {
          agentId,
          eventId: event.id,
          at: event.createdAt,
          dropped: all,
          step: record,
        }))
      )
        throw new AppliedAlready();
      return true;
    });
    if (isApplied) deps.onGrown?.();
    return isApplied;
  } catch (error) {
    if (error instanceof AppliedAlready) return false;
    if (error instanceof SaysOther) {
      await dropPlan(database.db, event.id);
      return false;
    }
    signal.throwIfAborted();
    const retries = deps.retryMs ?? RETRY_MS;
    const isParked = await markFailed(
      database.db,
      event.id,
      { step, code: codeOf(error), message: messageOf(error), ms: performance.now() - started },
      { mostAttempts: MOST_ATTEMPTS, retryMs: retries[growing.attempts] ?? retries.at(-1) ?? 0 },
    );
    logger.warn(
      { err: error, agentId, eventId: event.id, step, isParked },
      'nothing has grown out of an event',
    );
    return false;
  }
}

/** Somebody else has applied it meanwhile: what this transaction wrote is undone. */
class AppliedAlready extends Error {
  override readonly name = 'AppliedAlready';
}

interface Planned {
  readonly plan: WritePlan;
  readonly madeBy: GrownBy;
  readonly dropped: readonly string[];
  readonly seen: Seen;
}

/** The plan of an earlier attempt, or a new one, which is kept first. */
async function planOf(deps: GrowthDeps, growing: Growing, signal: AbortSignal): Promise<Planned> {
  const stored = storedPlanSchema.safeParse(growing.plan);
  if (stored.success && growing.madeBy !== null) {
    const { seen, ...plan } = stored.data;
    const madeBy = growing.madeBy === 'model' ? 'model' : 'rules';
    return { plan, madeBy, dropped: notesOf(growing), seen };
  }
  const { db } = deps.database;
  const started = performance.now();
  const { event, agentId } = growing;
  const keys = claimsOfEvent(event).flatMap((claim) => aboutKeyOf(event, claim) ?? []);
  const known = await knownStates(db, growing, keys);
  if (deps.grower) {
    const before = await eventsBefore(db, growing, CONTEXT_EVENTS);
    const states = known.slice(0, CONTEXT_STATES);
    const seen = seenOf(before, states);
    const answer = await deps.grower({ event, before, states }, signal);
    const { plan, dropped } = cleanWritePlan(answer);
    await retryParked(db, agentId, { code: SERVER_AWAY, mostAttempts: MOST_ATTEMPTS_EVER });
    await savePlan(db, event.id, {
      plan: { ...plan, seen },
      madeBy: 'model',
      dropped,
      step: recordOf(started),
    });
    return { plan, madeBy: 'model', dropped, seen };
  }
  const said = [event.userText, event.assistantText, event.caption]
    .filter((text) => text !== null)
    .join('\n');
  const names = [...new Set(entitiesOf(said).map(({ name }) => name))];
  const plan = growByRules(event, {
    known,
    previousEventId: await previousEvent(db, event.id),
    lastNaming: await lastNaming(db, growing, names),
    timeZone: deps.timeZone,
  });
  const named = new Set(plan.states.map(({ stateId }) => stateId));
  const seen = seenOf(
    [],
    known.filter(({ id }) => named.has(id)),
  );
  // The plan is not kept: it costs nothing to make it again.
  return { plan, madeBy: 'rules', dropped: [], seen };
}

async function summarise(
  { database, timeZone, onGrown, logger }: GrowthDeps,
  agentId: string,
): Promise<void> {
  const started = performance.now();
  let fault: string | undefined;
  const summaries = await refreshSummaries(database, { agentId, timeZone }, (error) => {
    fault = codeOf(error);
    logger.warn({ err: error, agentId }, 'a summary was not made');
  });
  if (summaries === 0 && fault === undefined) return;
  const record = { ...recordOf(started, { summaries }), ...(fault !== undefined && { error: fault }) };
  // What is written is found by its words at once; vectors are made by their own worker.
  await saveAgentStep(database.db, agentId, { summaries: record, indexes: recordOf(performance.now()) });
  onGrown?.();
}

async function tidy(
  { database, timeZone, merger, logger }: GrowthDeps,
  agentId: string,
  { applied, now, signal }: { applied: number; now: Date; signal: AbortSignal },
): Promise<void> {
  const started = performance.now();
  try {
    const counts = await tidyMemory(database, { agentId, timeZone, now, merger, signal });
    await saveAgentStep(database.db, agentId, { tidy: recordOf(started, counts) }, applied);
  } catch (error) {
    signal.throwIfAborted();
    // Nothing is lost: the next one is due after as many events again.
    logger.warn({ err: error, agentId }, 'a memory was not tidied');
    await saveAgentStep(
      database.db,
      agentId,
      { tidy: { ...recordOf(started), error: codeOf(error) } },
      applied,
    );
  }
}

function recordOf(started: number, counts?: Record<string, number>): GrowthStepRecord {
  const ms = Math.round((performance.now() - started) * 10) / 10;
  return { at: new Date().toISOString(), ms, ...(counts && { counts }) };
}

function notesOf({ dropped }: Growing): string[] {
  return Array.isArray(dropped) ? dropped.filter((note): note is string => typeof note === 'string') : [];
}

function codeOf(error: unknown): string {
  if (error instanceof ModelError) return error.kind === 'invalid' ? 'invalid_plan' : SERVER_AWAY;
  return error instanceof Error && error.name === 'TimeoutError' ? SERVER_AWAY : 'failed';
}

/** For the page and the log: without what was said. */
function messageOf(error: unknown): string {
  const message =
    error instanceof ModelError ? error.message : 'Something went wrong here. It has been logged.';
  return message.slice(0, 300).toWellFormed();
}
