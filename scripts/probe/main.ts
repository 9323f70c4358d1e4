/**
 * `npm run probe`: attacks the product from outside, on loopback only, and prints the result of each attack. Exit
 * code 1 if an attack succeeded, 2 for wrong arguments.
 */
import { HELP, type ProbeOptions, readArguments, WrongArguments } from './arguments.ts';
import { attacks } from './attacks.ts';
import { examine } from './examine.ts';
import { fuzz } from './fuzz/fuzz.ts';
import { isGood, type Outcome, summaryOf, tableOf } from './report.ts';
import { settingsForContainers } from './support/containers.ts';
import { World } from './world.ts';

const leftBehind: Outcome = {
  row: 0,
  name: 'the end',
  happened: 'the product did not end cleanly, or something that was made could not be deleted',
  verdict: 'FAILED',
};

const options = optionsOrHelp();
const startedAt = performance.now();
const say = (line: string) => console.error(line);
let world: World | undefined;
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void Promise.resolve(world?.close()).finally(() => process.exit(1)));

world = await open(options).catch(refuse);
const outcomes = await attackAll(world, options).catch(async (error: unknown) => {
  await world?.close();
  throw error;
});
if (!(await world.close())) outcomes.push(leftBehind);
console.log(`\n${tableOf(outcomes)}\n\n${summaryOf(outcomes, performance.now() - startedAt)}`);
process.exit(isGood(outcomes) ? 0 : 1);

function optionsOrHelp(): ProbeOptions {
  try {
    const read = readArguments(process.argv.slice(2), process.env.AIZUCHI_OWNER_PASSKEY);
    if (read) return read;
    console.error(HELP);
    process.exit(0);
  } catch (error) {
    refuse(error);
  }
}

function refuse(error: unknown): never {
  if (!(error instanceof WrongArguments)) throw error;
  console.error(`${error.message}\n${HELP}`);
  process.exit(2);
}

async function open({ against, inContainers }: ProbeOptions): Promise<World> {
  if (against) return World.against(against);
  return World.ofOurOwn(inContainers ? await settingsForContainers() : undefined);
}

/** The calls from the schemas come last, on the state that the attacks have left. */
async function attackAll(place: World, { only, isLong, calls, seed }: ProbeOptions): Promise<Outcome[]> {
  const chosen = attacks.filter(({ row }) => only.length === 0 || only.includes(row));
  const results = await examine(place, chosen, say);
  return isLong ? [...results, await fuzz(place, { calls, seed, say })] : results;
}
