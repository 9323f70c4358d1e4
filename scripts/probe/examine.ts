import { type Attack, Broken, type Need, NotHere } from './attack.ts';
import type { Outcome } from './report.ts';
import type { World } from './world.ts';

/** Runs the quiet attacks in parallel, then the others in turn; the waiting ones run in parallel to all of them. */
export async function examine(
  world: World,
  attacks: readonly Attack[],
  say: (line: string) => void,
): Promise<Outcome[]> {
  const tell = async (attack: Attack) => {
    const startedAt = performance.now();
    const outcome = await attempt(world, attack);
    const took = ((performance.now() - startedAt) / 1000).toFixed(1);
    say(`${String(attack.row).padStart(2)} ${attack.name}: ${outcome.verdict} (${took} s)`);
    return outcome;
  };
  const ofPace = (pace: Attack['pace']) => attacks.filter((attack) => attack.pace === pace);
  const waiting = Promise.all(ofPace('waiting').map(tell));
  const outcomes = await inTurn(ofPace('quiet'), tell, BESIDE);
  outcomes.push(...(await inTurn(ofPace(undefined), tell, 1)));
  return [...outcomes, ...(await waiting)];
}

const BESIDE = 3;

async function attempt(world: World, attack: Attack): Promise<Outcome> {
  const { row, name } = attack;
  const missing = attack.needs?.find((need) => !isMet(world, need));
  if (missing !== undefined) return { row, name, happened: sentenceOf(world, missing), verdict: 'not here' };
  try {
    return { row, name, happened: await within(attack.limitMs, attack.run(world)), verdict: 'ok' };
  } catch (error) {
    if (error instanceof NotHere) return { row, name, happened: error.message, verdict: 'not here' };
    const why = error instanceof Error ? error.message : String(error);
    // An attack that could not be tried does not count as passed.
    return {
      row,
      name,
      happened: error instanceof Broken ? why : `could not be tried: ${why}`,
      verdict: 'FAILED',
    };
  }
}

function isMet(world: World, need: Need): boolean {
  switch (need) {
    case 'the host':
      return world.host !== undefined;
    case 'root':
      return world.host !== undefined && world.isRoot;
    case 'an ordinary user':
      return world.host !== undefined && !world.isRoot;
    case 'linux':
      return process.platform === 'linux';
    case 'the Coordinator':
      return world.coordinator !== undefined;
    case 'runs as processes':
      return world.host !== undefined && !world.isInContainers;
    case 'runs in containers':
      return world.isInContainers;
  }
}

function sentenceOf({ host }: World, need: Need): string {
  if (need === 'the Coordinator') return 'needs --coordinator';
  if (need === 'runs in containers') return 'needs --containers';
  if (need === 'runs as processes' && host !== undefined) return 'runs live in containers';
  return host === undefined ? 'needs the host' : `needs ${need}`;
}

async function within<T>(limitMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not over after ${limitMs / 1000} s`)), limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function inTurn<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
  beside: number,
): Promise<R[]> {
  const left = [...items];
  const results: R[] = [];
  await Promise.all(
    Array.from({ length: beside }, async () => {
      for (let item = left.shift(); item !== undefined; item = left.shift()) results.push(await work(item));
    }),
  );
  return results;
}
