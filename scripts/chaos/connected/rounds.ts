import type { RoundResult } from '../report.ts';
import { startClaudeCode } from './claude-code.ts';
import { type ConnectedAgent, tryConnected } from './connected.ts';
import { startHandWritten } from './hand-written.ts';
import type { Place } from './place.ts';

/**
 * A round with an agent that is connected by hand, where every fifth answer is cut; each has a product of its own.
 */
export interface ConnectedRound {
  readonly name: string;
  readonly onlyIfNamed?: true;
  start(place: Place): Promise<ConnectedAgent>;
}

export const connectedRounds: readonly ConnectedRound[] = [
  { name: 'hand-written agent, every fifth answer cut', start: startHandWritten },
  { name: 'claude-code, every fifth answer cut', onlyIfNamed: true, start: startClaudeCode },
];

/** Runs the rounds one after the other. */
export async function runConnectedRounds(
  rounds: readonly ConnectedRound[],
  options: { readonly messages: number; readonly say: (line: string) => void },
): Promise<RoundResult[]> {
  const results: RoundResult[] = [];
  for (const { name, start } of rounds) {
    const { sum, cuts, seconds } = await tryConnected({ ...options, start });
    options.say(
      `${name}: ${sum.acknowledged} acknowledged, ${sum.lost} lost, ${sum.doubled} doubled, ` +
        `${sum.unseen} answered without having been given, ${cuts} answers cut, in ${seconds.toFixed(0)} s`,
    );
    for (const violation of sum.violations) options.say(`  ${violation}`);
    results.push({ name, faults: 1, recoveriesMs: [], sum });
  }
  return results;
}
