import { House } from './house.ts';
import { Load } from './load.ts';
import { reckon } from './reckoning.ts';
import { add, nothing, type RoundResult } from './report.ts';
import type { Round } from './round.ts';
import { diskFull, fullProject } from './rounds/disk-full.ts';
import { frozenCoordinator } from './rounds/frozen-coordinator.ts';
import { kills } from './rounds/kills.ts';
import { postgresStopped } from './rounds/postgres-stopped.ts';
import { restart } from './rounds/restart.ts';
import { socketsCut } from './rounds/sockets-cut.ts';

export const rounds: readonly Round[] = [
  ...kills,
  postgresStopped,
  socketsCut,
  diskFull,
  frozenCoordinator,
  restart,
];

export interface ChaosOptions {
  readonly rounds: readonly Round[];
  /** Strikes of each round. */
  readonly kills: number;
  readonly isShort: boolean;
  readonly say: (line: string) => void;
}

const RECOVERY_PATIENCE_MS = 60_000;

/**
 * All rounds in turn on one product, one strike each, as many laps as kills were asked for: so no process is killed
 * again before its supervisor has forgiven it. The round that takes a minute has a product of its own, beside.
 */
export async function runChaos(options: ChaosOptions): Promise<RoundResult[]> {
  const slow = options.rounds.filter((round) => round === frozenCoordinator);
  const rest = options.rounds.filter((round) => round !== frozenCoordinator);
  const results = await Promise.all([rest, slow].map((some) => runInHouse({ ...options, rounds: some })));
  const byName = new Map(results.flat().map((result) => [result.name, result]));
  return options.rounds.flatMap(({ name }) => byName.get(name) ?? []);
}

async function runInHouse(options: ChaosOptions): Promise<RoundResult[]> {
  if (options.rounds.length === 0) return [];
  const results = new Map<Round, RoundResult>();
  for (const round of options.rounds) {
    const absent = await round.absent?.();
    results.set(round, {
      name: round.name,
      strikes: 0,
      recoveriesMs: [],
      notes: [],
      sum: nothing,
      ...(absent !== undefined && { absent }),
    });
  }
  const house = await House.open();
  try {
    await house.makeProject('calm');
    if (options.rounds.includes(diskFull)) await house.makeFillableProject(fullProject);
    for (let turn = 0; turn < options.kills; turn += 1) {
      for (const [round, result] of results) {
        if (result.absent !== undefined || turn >= (round.atMost ?? options.kills)) continue;
        results.set(round, await strike(house, round, result, { ...options, turn }));
      }
    }
  } finally {
    if (!(await house.close())) options.say('NOT KEPT: the product did not end cleanly');
  }
  return [...results.values()];
}

let segments = 0;

/** Load, one strike, recovery, rest, and the count. */
async function strike(
  house: House,
  round: Round,
  before: RoundResult,
  { turn, isShort, say }: ChaosOptions & { turn: number },
): Promise<RoundResult> {
  const startedAt = performance.now();
  segments += 1;
  const segment = `s${segments}`;
  const load = new Load(house.person, house.pairs, segment, round.pauseMs);
  await load.isFlowing();
  const {
    pair,
    since,
    recoveryMs,
    note,
    violations = [],
  } = await round.strike(house, { turn, isShort, load });
  const probe = await load.write(pair, 'probe');
  await house.untilAnswered(probe.id, RECOVERY_PATIENCE_MS);
  const recovered = recoveryMs ?? performance.now() - since;
  const reckoning = await reckon(house, segment, await load.stop());
  const sum = { ...reckoning, violations: [...violations, ...reckoning.violations] };
  say(
    `${round.name} #${turn + 1}: ${sum.acknowledged} acknowledged, ${sum.lost} lost, ${sum.doubled} doubled, ` +
      `back after ${seconds(recovered)} s, all at rest after ${seconds(performance.now() - startedAt)} s` +
      (note === undefined ? '' : ` (${note})`),
  );
  for (const violation of sum.violations) say(`  ${violation}`);
  return {
    ...before,
    strikes: before.strikes + 1,
    recoveriesMs: [...before.recoveriesMs, recovered],
    notes: note === undefined ? before.notes : [...before.notes, note],
    sum: add(before.sum, sum),
  };
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(1);
}
