import { ChaosWorld } from './chaos-world.ts';
import { Load } from './load.ts';
import { type Reckoning, reckon } from './reckoning.ts';
import { add, nothing, type RoundResult } from './report.ts';
import type { Round } from './round.ts';
import { answersCut } from './rounds/answers-cut.ts';
import { clicksCut } from './rounds/clicks-cut.ts';
import { diskFull, fullProject } from './rounds/disk-full.ts';
import { frozenCoordinator } from './rounds/frozen-coordinator.ts';
import { kills } from './rounds/kills.ts';
import { postgresStopped, postgresStoppedLong } from './rounds/postgres-stopped.ts';
import { restart } from './rounds/restart.ts';
import { socketsCut } from './rounds/sockets-cut.ts';

export const rounds: readonly Round[] = [
  ...kills,
  postgresStopped,
  postgresStoppedLong,
  socketsCut,
  answersCut,
  clicksCut,
  diskFull,
  frozenCoordinator,
  restart,
];

export interface ChaosOptions {
  readonly rounds: readonly Round[];
  /** Faults of each round. */
  readonly kills: number;
  readonly isShort: boolean;
  readonly say: (line: string) => void;
}

const RECOVERY_TIMEOUT_MS = 60_000;

/**
 * Runs all rounds in turn on one product, one fault each, as often as `kills` says. So no process is killed again
 * before its supervisor has reset its restart delay. The rounds that take a minute run in parallel, on a product of
 * their own.
 */
export async function runChaos(options: ChaosOptions): Promise<RoundResult[]> {
  const isSlow = (round: Round) => round === frozenCoordinator || round.isLong === true;
  const slow = options.rounds.filter(isSlow);
  const rest = options.rounds.filter((round) => !isSlow(round));
  const results = await Promise.allSettled(
    [rest, slow].map((some) => runInWorld({ ...options, rounds: some })),
  );
  const failure = results.find((result) => result.status === 'rejected');
  if (failure) throw failure.reason;
  const done = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  const byName = new Map(done.map((result) => [result.name, result]));
  return options.rounds.flatMap(({ name }) => byName.get(name) ?? []);
}

async function runInWorld(options: ChaosOptions): Promise<RoundResult[]> {
  if (options.rounds.length === 0) return [];
  const results = new Map<Round, RoundResult>();
  for (const round of options.rounds) {
    const absent = await round.absent?.();
    const untried = { name: round.name, faults: 0, recoveriesMs: [], sum: nothing };
    results.set(round, { ...untried, ...(absent !== undefined && { absent }) });
  }
  const world = await ChaosWorld.open();
  open.add(world);
  try {
    await injectInTurn(world, results, options);
  } finally {
    const endedWell = await world.close();
    open.delete(world);
    if (!endedWell) addViolation(results, 'the product did not end cleanly');
  }
  return [...results.values()];
}

async function injectInTurn(
  world: ChaosWorld,
  results: Map<Round, RoundResult>,
  options: ChaosOptions,
): Promise<void> {
  await world.makeProject('calm');
  if (options.rounds.includes(diskFull)) await world.makeFillableProject(fullProject);
  for (let turn = 0; turn < options.kills; turn += 1) {
    for (const [round, result] of results) {
      if (result.absent !== undefined || turn >= (round.atMost ?? options.kills)) continue;
      const after = await inject(world, round, result, { ...options, turn });
      results.set(round, after.result);
      if (!after.isUsable) return;
    }
  }
}

function addViolation(results: Map<Round, RoundResult>, violation: string): void {
  const [last] = [...results].slice(-1);
  if (!last) return;
  const [round, result] = last;
  results.set(round, { ...result, sum: add(result.sum, { ...nothing, violations: [violation] }) });
}

const open = new Set<ChaosWorld>();

/** For a run that is interrupted: closes everything that was started. */
export async function closeAll(): Promise<void> {
  await Promise.allSettled([...open].map((world) => world.close()));
}

let segments = 0;

/**
 * Injects one fault and counts. A recovery that times out is also a violation; after it this product is not used any
 * more.
 */
async function inject(
  world: ChaosWorld,
  round: Round,
  before: RoundResult,
  options: ChaosOptions & { turn: number },
): Promise<{ result: RoundResult; isUsable: boolean }> {
  const result = { ...before, faults: before.faults + 1 };
  try {
    const { recoveryMs, sum } = await injectAndCount(world, round, options);
    const recoveriesMs = [...before.recoveriesMs, recoveryMs];
    return { result: { ...result, recoveriesMs, sum: add(before.sum, sum) }, isUsable: true };
  } catch (error) {
    const violation = `${round.name} #${result.faults}: ${error instanceof Error ? error.message : error}`;
    options.say(violation);
    return {
      result: { ...result, sum: add(before.sum, { ...nothing, violations: [violation] }) },
      isUsable: false,
    };
  }
}

/** Starts the load, injects the fault, waits for recovery and rest, and counts. */
async function injectAndCount(
  world: ChaosWorld,
  round: Round,
  { turn, isShort, say }: ChaosOptions & { turn: number },
): Promise<{ recoveryMs: number; sum: Reckoning }> {
  const startedAt = performance.now();
  segments += 1;
  const segment = `s${segments}`;
  const load = new Load(world.person, world.pairs, segment, round.pauseMs);
  await load.isFlowing();
  const {
    membership,
    since,
    note,
    violations = [],
    ...fault
  } = await round.inject(world, { turn, isShort, load });
  const probe = await load.write(membership, 'probe');
  await world.untilAnswered(probe.id, RECOVERY_TIMEOUT_MS);
  const recoveryMs = fault.recoveryMs ?? performance.now() - since;
  const reckoning = await reckon(world, segment, await load.stop());
  const sum = { ...reckoning, violations: [...violations, ...reckoning.violations] };
  say(
    `${round.name} #${turn + 1}: ${sum.acknowledged} acknowledged, ${sum.lost} lost, ${sum.doubled} doubled, ` +
      `${sum.unseen} answered without having been given, ` +
      `back after ${seconds(recoveryMs)} s, all at rest after ${seconds(performance.now() - startedAt)} s` +
      (note === undefined ? '' : ` (${note})`),
  );
  for (const violation of sum.violations) say(`  ${violation}`);
  return { recoveryMs, sum };
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(1);
}
